import { describe, expect, it } from 'vitest';
import { interleave, median, medianInterval, quantile } from './interleave.ts';

/** A clock that only contenders advance. */
function handClock(): { nowMs: () => number; pass: (milliseconds: number) => void } {
  let time = 1_000;
  return { nowMs: () => time, pass: (milliseconds) => void (time += milliseconds) };
}

describe('the interleaved runner', () => {
  it('reports the median ratio of durations and does not count the warm-up', async () => {
    const clock = handClock();
    const durations = [900, 20, 30, 10, 20, 20];
    const report = await interleave({
      ours: async () => clock.pass(durations.shift() as number),
      theirs: async () => clock.pass(10),
      rounds: 5,
      warmup: 1,
      nowMs: clock.nowMs,
    });
    expect(report.ratios).toEqual([2, 3, 1, 2, 2]);
    expect(report.ratio).toBe(2);
    expect(report.ours).toBe(20);
    expect(report.theirs).toBe(10);
    expect(report.low).toBeGreaterThanOrEqual(1);
    expect(report.high).toBeLessThanOrEqual(3);
  });

  it('takes what a contender measured itself over its duration', async () => {
    const clock = handClock();
    const report = await interleave({
      ours: async () => (clock.pass(5), 300),
      theirs: async () => (clock.pass(500), 400),
      rounds: 3,
      warmup: 0,
      nowMs: clock.nowMs,
    });
    expect(report.ratio).toBe(0.75);
  });

  it('alternates, and lets each side go first in turn', async () => {
    const order: string[] = [];
    await interleave({
      ours: async () => (order.push('ours'), 1),
      theirs: async () => (order.push('theirs'), 1),
      rounds: 4,
      warmup: 0,
    });
    expect(order).toEqual(['ours', 'theirs', 'theirs', 'ours', 'ours', 'theirs', 'theirs', 'ours']);
  });

  it('refuses a run that measures nothing, and too few rounds for a spread', async () => {
    const one = async (): Promise<number> => 1;
    await expect(interleave({ ours: one, theirs: async () => 0, rounds: 3, warmup: 0 })).rejects.toThrow('"theirs" measured 0');
    await expect(interleave({ ours: one, theirs: one, rounds: 2, warmup: 0 })).rejects.toThrow('at least 3');
  });
});

describe('quantiles', () => {
  it('interpolate between neighbours', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([10, 20], 0.25)).toBe(12.5);
    expect(quantile([1, 2, 3], 1)).toBe(3);
    expect(median([7])).toBe(7);
  });

  it('of the bootstrap enclose the median, and close in where the values agree', () => {
    const { low, high } = medianInterval([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(low).toBeLessThan(5);
    expect(high).toBeGreaterThan(5);
    expect(medianInterval([2, 2, 2])).toEqual({ low: 2, high: 2 });
  });
});
