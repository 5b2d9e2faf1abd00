import { describe, expect, test } from 'vitest';
import { computeTrend } from './computeTrend.ts';
import type { History } from '../matrix/buildHistory.ts';

const day = 86_400_000;

/** A history of one user with the given entries [item, age in days]; day 0 is the newest. */
function history(entries: readonly (readonly [item: number, ageDays: number])[]): History {
  return {
    pointer: Float64Array.of(0, entries.length),
    index: Int32Array.from(entries, ([item]) => item),
    time: Float64Array.from(entries, ([, age]) => 1e12 - age * day),
  };
}

const times = (count: number, item: number, age: number): [number, number][] =>
  Array.from({ length: count }, () => [item, age]);

describe('computeTrend', () => {
  test('puts an item of the last days above one that was as popular a year ago, and marks it as rising', () => {
    const past = history([...times(60, 0, 300), ...times(60, 1, 1), ...times(5, 2, 0)]);
    const { trend, rising, newest } = computeTrend(past, 4);
    expect(newest).toBe(1e12);
    expect(trend[1]).toBeGreaterThan(trend[0] as number);
    expect([...rising]).toEqual([0, 1, 0, 0]);
    expect(trend[3]).toBe(0);
  });

  test('is the number of interactions when no time is known', () => {
    const { trend, rising, newest } = computeTrend(history([[0, Number.NaN], [1, Number.NaN], [1, Number.NaN]]), 3);
    expect([...trend]).toEqual([1, 2, 0]);
    expect([...rising]).toEqual([0, 0, 0]);
    expect(newest).toBeNaN();
  });

  test('orders by the number of interactions when all times are equal', () => {
    const { trend } = computeTrend(history([...times(9, 0, 0), ...times(3, 1, 0), ...times(5, 2, 0)]), 3);
    expect(trend[0]).toBeGreaterThan(trend[2] as number);
    expect(trend[2]).toBeGreaterThan(trend[1] as number);
  });

  test('follows a given half-life', () => {
    const past = history([...times(60, 0, 6), ...times(20, 1, 0), ...times(30, 2, 300)]);
    const first = (halfLifeDays: number): number => [...computeTrend(past, 3, halfLifeDays).trend].reduce((best, value, item, all) => (value > (all[best] ?? 0) ? item : best), 0);
    expect([first(1), first(100)]).toEqual([1, 0]);
  });

  test('of news, where each item is in demand for two days, has no item of last week before those of today, however few the interactions are', () => {
    for (const perItem of [2, 40]) {
      // Item d is new on day 120 - d, and one in ten items of the past had ten times as many readers.
      const read = Array.from({ length: 121 }, (_, item) => times(item > 0 && item % 10 === 0 ? 10 * perItem : perItem, item, item).map(([of, age], at): [number, number] => [of, Math.max(0, age - at % 2)]));
      const { trend } = computeTrend(history(read.flat()), 121);
      const order = [...trend.keys()].sort((a, b) => (trend[b] as number) - (trend[a] as number));
      expect(order.slice(0, 2).sort(), `${perItem} readers`).toEqual([0, 1]);
    }
  });

  test('keeps the half-life of two weeks for lasting items, whether the data covers ten days or two years, and where one time is wrong', () => {
    for (const days of [10, 730]) {
      const lasting = Array.from({ length: 4000 }, (_, at): [number, number] => [at % 40, (at * days) / 4000]);
      for (const entries of [lasting, [...lasting, [3, 20_000] as [number, number]]]) {
        expect([...computeTrend(history(entries), 40).trend], `${days} days`).toEqual([...computeTrend(history(entries), 40, 14).trend]);
      }
    }
  });

  test('uses the longer half-life when the last weeks have under one interaction per item', () => {
    const { trend } = computeTrend(history([[0, 0], [1, 90], [2, 400], [3, 400], [3, 500]]), 4);
    // Expected values: seen = 2^(-age/30), expected = long * total seen / total long, trend = seen + 10 expected.
    const seen = [1, 2 ** -3, 2 ** (-400 / 30), 2 ** (-400 / 30) + 2 ** (-500 / 30)];
    const long = [1, 2 ** (-90 / 365), 2 ** (-400 / 365), 2 ** (-400 / 365) + 2 ** (-500 / 365)];
    const sum = (values: number[]): number => values.reduce((a, b) => a + b);
    seen.forEach((value, item) => {
      expect(trend[item]).toBeCloseTo(value + (10 * (long[item] as number) * sum(seen)) / sum(long), 4);
    });
  });

  test('ignores unknown times beside known ones', () => {
    expect([...computeTrend(history([[0, Number.NaN], [1, 0]]), 2).trend][0]).toBe(0);
  });
});
