import { expect, test } from 'vitest';
import { judgeSetback, type SetbackCounts } from './setback.ts';

const rules = { maxAttempts: 3, retryMs: 1_000 };
const fresh: SetbackCounts = { failures: 0, crashes: 0, interruptions: 0 };

test('a job is given up at its third failure, however often it was interrupted before', () => {
  const interrupted = { failures: 0, crashes: 0, interruptions: 12 };
  const first = judgeSetback('failed', interrupted, rules);
  const second = judgeSetback('failed', first, rules);
  expect([first.abandoned, second.abandoned]).toEqual([null, null]);
  expect(judgeSetback('failed', second, rules)).toMatchObject({ failures: 3, interruptions: 12, abandoned: { code: 'job-abandoned' } });
});

test('an interruption is no failure: the first costs no wait, later ones wait longer, up to ten minutes', () => {
  const waits: number[] = [];
  for (let counts = fresh; waits.length < 19;) {
    const verdict = judgeSetback('interrupted', counts, rules);
    expect(verdict).toMatchObject({ failures: 0, abandoned: null });
    waits.push(verdict.delayMs / 1_000);
    counts = verdict;
  }
  expect(waits).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600, 600, 600, 600, 600, 600]);
});

test('a job whose workers go away twenty times in one stage is given up with that reason', () => {
  const { abandoned, failures } = judgeSetback('interrupted', { failures: 1, crashes: 0, interruptions: 19 }, rules);
  expect(failures).toBe(1);
  expect(abandoned).toMatchObject({ code: 'job-abandoned', detail: expect.stringContaining('became unavailable 20 times in a row') as string });
});
