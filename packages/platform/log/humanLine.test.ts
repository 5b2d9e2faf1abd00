import { expect, test } from 'vitest';
import { humanLine } from './humanLine.ts';
import { createLogger } from './logger.ts';
import { logDestination, type LogFormat } from './logDestination.ts';

const escape = '\u001b';

function written(format: LogFormat, terminal: { isTTY?: boolean; hasColors?(): boolean }): string | null {
  let text = '';
  const destination = logDestination(format, { ...terminal, write: (each) => { text += each; } });
  if (destination === undefined) return null;
  createLogger('info', destination).info({ url: 'http://127.0.0.1:8080', password: 'hunter2' }, 'serving');
  return text;
}

test('a terminal gets short lines with colours, a pipe gets JSON; the setting forces either', () => {
  const terminal = { isTTY: true, hasColors: () => true };
  expect(written('auto', terminal)).toContain(`${escape}[32minfo`);
  expect(written('text', terminal)).toContain(escape);
  expect(written('json', terminal)).toBeNull();
  expect(written('auto', {})).toBeNull();
  expect(written('json', {})).toBeNull();
  expect(written('text', {})).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info {2}serving {2}url=http:\/\/127\.0\.0\.1:8080 password=\[secret\]\n$/);
});

test('colours stay away where the terminal shows none (NO_COLOR, TERM=dumb)', () => {
  expect(written('auto', { isTTY: true, hasColors: () => false })).not.toContain(escape);
});

test('nothing of a message, a field or a stack moves the cursor', () => {
  const line = JSON.stringify({
    level: 'info', time: '2026-11-21T12:00:01.000Z', msg: `a${escape}[2Jb`, name: `c${escape}[2Jd`, err: { message: 'x', stack: `Error: x${escape}[1A\n    at y (z:1:2)` },
  });
  expect(humanLine(line)).not.toContain(escape);
  expect(humanLine(line)).toBe('2026-11-21 12:00:01 info  a\\u{1b}[2Jb  name=c\\u{1b}[2Jd\n    Error: x\\u{1b}[1A\n    at y (z:1:2)\n');
});

test('what is no JSON stays as it is', () => {
  expect(humanLine('not JSON\n')).toBe('not JSON\n');
});
