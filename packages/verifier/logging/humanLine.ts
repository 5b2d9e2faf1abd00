import { plainText } from '../attestation/explain/plainText.ts';

/** Fields that the line says elsewhere. */
const own = new Set(['level', 'time', 'msg']);

/** A line of the log for people: `2026-11-21 12:00:01 info   The report is on the chain.  verdict=0`. What is no JSON stays as it is. */
export function humanLine(line: string): string {
  const fields = parse(line);
  if (fields === null) return line;
  const { level, time, msg } = fields;
  const rest = Object.entries(fields).filter(([name]) => !own.has(name)).map(([name, value]) => `${name}=${show(value)}`);
  const at = typeof time === 'string' ? time.slice(0, 19).replace('T', ' ') : '';
  return `${[at, String(level).padEnd(5), plainText(String(msg)), ...(rest.length === 0 ? [] : ['', rest.join(' ')])].join(' ')}\n`;
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
