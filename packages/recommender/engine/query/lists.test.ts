import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { poolAdjacentViolators } from '../scores/poolAdjacentViolators.ts';
import { BestItems } from './bestItems.ts';
import { TypeLists } from './mergeTypes.ts';
import { Ranking } from './ranking.ts';
import { UserSums } from './userSums.ts';

describe('the best items', () => {
  test('are those of a full sort, ties by item number', () => {
    const values = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 600 });
    fc.assert(
      fc.property(values, fc.integer({ min: 0, max: 400 }), (values, capacity) => {
        const best = new BestItems();
        best.reset(capacity);
        values.forEach((value, item) => best.offer(item, value));
        best.sort();
        const sorted = [...values.keys()].sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b).slice(0, capacity);
        expect([...best.item.subarray(0, best.count)]).toEqual(sorted);
        expect([...best.value.subarray(0, best.count)]).toEqual(sorted.map((item) => values[item]));
      }),
    );
  });
});

describe('the number that many values reach', () => {
  test('is reached by as many as are asked for, however far they spread, and is 0 where fewer are positive', () => {
    const values = fc.array(
      fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 1, max: 1e6 }).map((value) => value / 1000) }, fc.constantFrom(0, -1, 5e-324), fc.double({ max: 1000, noNaN: true })),
      { minLength: 100, maxLength: 300 },
    );
    let narrowed = 0;
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 150 }), (values, count) => {
        const sums = new UserSums(values.length);
        values.forEach((value, item) => (sums.value[sums.touch(item)] = value));
        const least = sums.reachedBy(count);
        if (least > 0) expect(values.filter((value) => value >= least).length).toBeGreaterThanOrEqual(count);
        if (least > 0 && values.some((value) => value > 0 && value < least)) narrowed += 1;
      }),
    );
    expect(narrowed).toBeGreaterThan(5);
  });
});

describe('a merged list', () => {
  const falling = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }).map((scores) => {
    const list = Float64Array.from(scores);
    poolAdjacentViolators(list, 0, list.length);
    // Lists show six decimals, and the threshold applies to the rounded scores.
    return Array.from(list, (score) => Math.round(score * 1e6) / 1e6);
  });

  test('never rises, keeps the order of each type, and is the beginning of the unlimited one', () => {
    fc.assert(
      fc.property(
        fc.array(falling, { maxLength: 5 }),
        fc.integer({ min: 1, max: 50 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (given, limit, threshold) => {
          const lists = new TypeLists();
          given.forEach((scores, list) => {
            scores.forEach((score, at) => lists.entries.push(list * 100 + at, score, 0));
            lists.endList();
          });
          const merged = new Ranking();
          lists.mergeInto(merged, limit);
          merged.cutBelow(threshold);
          const items = [...merged.item.subarray(0, merged.count)];
          const scores = [...merged.score.subarray(0, merged.count)];
          expect(scores).toEqual([...scores].sort((a, b) => b - a));
          const passing = given.flat().filter((score) => score >= threshold);
          expect(scores).toEqual(passing.sort((a, b) => b - a).slice(0, limit));
          for (let list = 0; list < given.length; list += 1) {
            const own = items.filter((item) => Math.floor(item / 100) === list);
            expect(own).toEqual(own.map((_, at) => list * 100 + at));
          }
        },
      ),
    );
  });
});
