import type { DestinationStream } from 'pino';
import { humanLine } from './humanLine.ts';

/** How the log is written; `auto` is text on a terminal and JSON otherwise. */
export type LogFormat = 'auto' | 'json' | 'text';

interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  hasColors?(): boolean;
}

/**
 * Where the lines of the log go.
 * @returns undefined for JSON on standard error, which the logger writes by itself and without another step per line
 */
export function logDestination(format: LogFormat, output: Output = process.stderr): DestinationStream | undefined {
  const terminal = output.isTTY === true;
  if (format === 'json' || (format === 'auto' && !terminal)) return undefined;
  // NO_COLOR, FORCE_COLOR and TERM=dumb are heeded by the stream itself.
  const coloured = terminal && output.hasColors?.() === true;
  return { write: (line: string) => void output.write(humanLine(line, coloured)) };
}
