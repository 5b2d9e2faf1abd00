import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { binOf, CosineBins } from './cosineBins.ts';
import { pairScore, PairScores } from './pairScores.ts';
import { centreIsotonic } from './centredIsotonic.ts';
import { poolAdjacentViolators } from './poolAdjacentViolators.ts';

describe('pairScore', () => {
  test('is the shrunk normalised mutual information, computed by hand', () => {
    // 6 common users, 10 users each, 100 users in total: ln(6/9 * 6*100/100) / ln(100/6) = ln 4 / ln 16.667
    expect(pairScore(6, 10, 10, 100)).toBeCloseTo(Math.log(4) / Math.log(100 / 6), 12);
    expect(pairScore(6, 10, 10, 100)).toBeCloseTo(0.4927, 4);
  });

  test('is 0 at chance, without common users, and when everybody has both', () => {
    expect(pairScore(10, 100, 100, 1000)).toBe(0);
    expect(pairScore(0, 5, 5, 100)).toBe(0);
    expect(pairScore(9, 9, 9, 9)).toBe(0);
  });

  test('stays within 0 and 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(50), fc.nat(50), fc.nat(500), (common, a, b, rest) => {
        const users = common + a + b + rest;
        const score = pairScore(common, common + a, common + b, users);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        const tabled = new PairScores(Float64Array.of(common + a, common + b), users).of(common, 0, 1);
        expect(tabled).toBeCloseTo(score, 12);
      }),
    );
    expect(new PairScores(Float64Array.of(5, 5), 100).of(0, 0, 1)).toBe(0);
  });
});

describe('poolAdjacentViolators', () => {
  const falling = (values: Float64Array): boolean =>
    values.every((value, n) => n === 0 || value <= (values[n - 1] as number) + 1e-12);
  const list = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 });

  test('never rises, keeps the mean, and leaves falling sequences alone', () => {
    fc.assert(
      fc.property(list, (numbers) => {
        const values = Float64Array.from(numbers);
        poolAdjacentViolators(values, 0, values.length);
        expect(falling(values)).toBe(true);
        const sum = (all: Iterable<number>): number => [...all].reduce((total, value) => total + value, 0);
        expect(sum(values)).toBeCloseTo(sum(numbers), 9);
        const again = values.slice();
        poolAdjacentViolators(again, 0, again.length);
        again.forEach((value, n) => expect(value).toBeCloseTo(values[n] as number, 12));
      }),
    );
  });

  test('is nearest in squares among falling sequences of few levels', () => {
    const distance = (a: readonly number[], b: ArrayLike<number>): number =>
      a.reduce((sum, value, n) => sum + (value - (b[n] as number)) ** 2, 0);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 3, maxLength: 3 }), (numbers) => {
        const values = Float64Array.from(numbers);
        poolAdjacentViolators(values, 0, 3);
        const best = distance(numbers, values);
        for (let a = 0; a <= 6; a++) {
          for (let b = 0; b <= a; b++) {
            for (let c = 0; c <= b; c++) {
              expect(best).toBeLessThanOrEqual(distance(numbers, [a / 2, b / 2, c / 2]) + 1e-12);
            }
          }
        }
      }),
    );
  });

  test('changes only its range', () => {
    const values = Float64Array.of(0, 1, 2, 9);
    poolAdjacentViolators(values, 1, 3);
    expect([...values]).toEqual([0, 1.5, 1.5, 9]);
  });
});

describe('centreIsotonic', () => {
  const entry = fc.record({ key: fc.integer({ min: 0, max: 50 }), score: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: Number.NaN }) });
  const entries = fc.array(entry, { minLength: 1, maxLength: 40 });
  const arrays = (list: { key: number; score: number }[]): [Float64Array, Float64Array] => {
    const sorted = list.toSorted((a, b) => b.key - a.key);
    return [Float64Array.from(sorted, ({ key }) => key), Float64Array.from(sorted, ({ score }) => score)];
  };

  test('never rises and stays between the smallest and the largest score', () => {
    fc.assert(fc.property(entries, (list) => {
      const [keys, scores] = arrays(list);
      const known = scores.filter((score) => !Number.isNaN(score));
      const [least, most] = known.length === 0 ? [0, 0] : [Math.min(...known), Math.max(...known)];
      centreIsotonic(keys, scores, 0, scores.length);
      scores.forEach((score, at) => {
        expect(score).toBeGreaterThanOrEqual(least - 1e-12);
        expect(score).toBeLessThanOrEqual(most + 1e-12);
        if (at > 0) expect(score).toBeLessThanOrEqual((scores[at - 1] as number) + 1e-12);
      });
    }));
  });

  test('gives different scores to different keys, where pooling gives one score to all', () => {
    const scores = Float64Array.of(0.3, 0.5, 0.4, 0.6);
    centreIsotonic(Float64Array.of(9, 8, 6, 5), scores, 0, 4);
    // The mean of all is 0.45 at key 7; above it are 0.5 and 0.6, below 0.3 and 0.4.
    [0.55, 0.5, 0.4, 0.35].forEach((score, at) => expect(scores[at]).toBeCloseTo(score, 12));
  });

  test('leaves falling scores alone, and puts entries without a score between their neighbours', () => {
    const scores = Float64Array.of(9, 0.8, Number.NaN, 0.4, 9);
    centreIsotonic(Float64Array.of(9, 4, 3, 2, 0), scores, 1, 4);
    [9, 0.8, 0.6, 0.4, 9].forEach((score, at) => expect(scores[at]).toBeCloseTo(score, 12));
  });
});

test('cosine bins give monotone means and carry them over empty bins', () => {
  const bins = new CosineBins();
  bins.add(0.1, 0.2);
  bins.add(0.1, 0.4);
  bins.add(0.5, 0.1);
  bins.add(0.9, 0.8);
  const means = bins.means();
  expect(means.every((value, n) => n === 0 || value >= (means[n - 1] as number))).toBe(true);
  expect(means[binOf(0.95)]).toBeCloseTo(0.8, 7);
  expect(means[binOf(-1)]).toBe(0);
  expect(means[binOf(0.5)]).toBeGreaterThan(0.1);
});
