import type { DestinationStream } from 'pino';
import { humanLine } from './humanLine.ts';

/** Format of the log. `auto` is text on a terminal and JSON otherwise. */
export type LogFormat = 'auto' | 'json' | 'text';

interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  hasColors?(): boolean;
}

/**
 * Chooses the destination of log lines.
 * @returns undefined for JSON on standard error, which the logger writes directly, without an extra step per line
 */
export function logDestination(format: LogFormat, output: Output = process.stderr): DestinationStream | undefined {
  const terminal = output.isTTY === true;
  if (format === 'json' || (format === 'auto' && !terminal)) return undefined;
  // `hasColors` takes NO_COLOR, FORCE_COLOR and TERM=dumb into account.
  const coloured = terminal && output.hasColors?.() === true;
  return { write: (line: string) => void output.write(humanLine(line, coloured)) };
}
