import { expect, it } from 'vitest';
import { isDue } from './isDue.ts';

it('a wait ends at its time, or when the clock is set back to before its begin', () => {
  const [begin, waitMs] = [100_000, 3_000];
  const at = (now: number): boolean => isDue(begin + waitMs, waitMs, now);
  expect([at(begin), at(begin + waitMs - 1), at(begin + waitMs), at(begin + 3_600_000)]).toEqual([false, false, true, true]);
  expect([at(begin - 1), at(begin - 3_600_000)]).toEqual([true, true]);
  expect(isDue(-Infinity, waitMs, begin)).toBe(true);
});
