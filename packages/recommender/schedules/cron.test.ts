import { expect, it } from 'vitest';
import { isTimezone, nextDue } from './cron.ts';

function due(cron: string, timezone: string, after: string): string | null {
  const next = nextDue(cron, timezone, Date.parse(after));
  return next === null ? null : new Date(next).toISOString();
}

it('finds the next time in the time zone, also where its clock changes', () => {
  expect(due('0 3 * * *', 'UTC', '2026-03-01T03:00:00Z')).toBe('2026-03-02T03:00:00.000Z');
  expect(due('0 3 * * 1', 'Europe/Berlin', '2026-03-01T03:00:00Z')).toBe('2026-03-02T02:00:00.000Z');
  // On 29 March, the clock goes from 02:00 to 03:00.
  expect(due('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
  // On 25 October, 02:30 occurs twice.
  expect(due('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
  expect(due('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z');
});

it('rejects expressions without five valid fields, and knows expressions that are never due', () => {
  for (const cron of ['', 'daily', '* * * *', '0 0 3 * * *', '61 * * * *']) expect(() => nextDue(cron, 'UTC', 0), cron).toThrow();
  expect(due('0 0 31 2 *', 'UTC', '2026-01-01T00:00:00Z')).toBe(null);
});

it('knows time zones', () => {
  expect([isTimezone('Europe/Berlin'), isTimezone('UTC'), isTimezone('Mars/Olympus')]).toEqual([true, true, false]);
});
