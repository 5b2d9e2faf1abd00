import { inspect } from 'node:util';
import { plainText } from './plainText.ts';

/** Fields that are not repeated as `name=value`, because the line shows them elsewhere. */
const own = new Set(['level', 'time', 'msg', 'err']);
const colours = { trace: 'gray', debug: 'gray', info: 'green', warn: 'yellow', error: 'red', fatal: 'red' } as const;

/**
 * Formats a JSON log line for people: `2026-11-21 12:00:01 info  The report is on the chain.  verdict=0`, with the stack of an error below it. A line
 * that is not JSON is returned unchanged.
 * @param coloured true for a terminal that shows colours
 */
export function humanLine(line: string, coloured = false): string {
  const fields = parse(line);
  if (fields === null) return line;
  const { level, time, msg, err } = fields;
  const rest = Object.entries(fields).filter(([name]) => !own.has(name)).map(([name, value]) => plainText(`${name}=${show(value)}`));
  const at = typeof time === 'string' ? time.slice(0, 19).replace('T', ' ') : '';
  const paint = (colour: string, text: string): string => (coloured ? inColour(colour, text) : text);
  const colour = colours[level as keyof typeof colours] ?? 'gray';
  const facts = rest.length === 0 ? '' : `  ${paint('gray', rest.join(' '))}`;
  return `${paint('gray', at)} ${paint(colour, plainText(String(level)).padEnd(5))} ${plainText(String(msg))}${facts}\n${showError(err)}`;
}

/** `styleText` is not used, because it checks whether standard output supports colours, and the log may go to another stream. */
function inColour(colour: string, text: string): string {
  const [begin, end] = inspect.colors[colour] ?? [0, 0];
  return `\u001b[${begin}m${text}\u001b[${end}m`;
}

function parse(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? (/[\s"]/.test(value) ? JSON.stringify(value) : value) : JSON.stringify(value);
}

/** Writes each line of the stack as one line. Error messages can contain text from untrusted sources, so each line is escaped. */
function showError(error: unknown): string {
  if (error === undefined) return '';
  const { stack, message } = (typeof error === 'object' && error !== null ? error : { message: error }) as { stack?: unknown; message?: unknown };
  return String(stack ?? message ?? JSON.stringify(error)).split('\n').map((line) => `    ${plainText(line.trim())}\n`).join('');
}
