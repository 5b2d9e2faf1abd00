import { describe, expect, test } from 'vitest';
import { defaultSetting } from '../data/defaultSetting.ts';
import { numberItems } from '../catalogue/numberItems.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { trainingData, twoBlocks } from '../../testing/testData.ts';
import { bootstrapMeans } from './bootstrap.ts';
import { evaluate } from './evaluate.ts';
import { rankingMetrics, type Evaluation } from '../data/trainedModel.ts';
import { listMetrics } from './rankUsers.ts';
import { splitHistory } from './splitHistory.ts';
import type { PairRow } from '../../testing/testData.ts';

const options = { setting: defaultSetting, seed: 1 };

describe('splitHistory', () => {
  const split = (pairs: readonly PairRow[], seed = 1): { train: string[]; test: string[] } => {
    const data = trainingData([], pairs);
    const catalogue = numberItems(data);
    const parts = splitHistory(buildHistory(data, catalogue), catalogue, seed);
    const ids = (index: Int32Array): string[] =>
      Array.from(index, (item) => data.nodes.ids[catalogue.itemNode[item] as number] as string);
    return { train: ids(parts.train.index), test: ids(parts.test.index) };
  };
  const timed = Array.from({ length: 20 }, (_, n): PairRow => ['u', `item-${String(n).padStart(2, '0')}`, 100 - n]);

  test('holds out the latest tenth of each user', () => {
    expect(split(timed).test).toEqual(['item-01', 'item-00']);
    expect(split(timed).train).toHaveLength(18);
  });

  test('holds out a tenth drawn with the seed without times', () => {
    const untimed = timed.map(([source, target]): PairRow => [source, target]);
    expect(split(untimed, 3)).toEqual(split(untimed, 3));
    expect(split(untimed, 3).test).toHaveLength(2);
    expect(new Set([1, 2, 3, 4, 5].map((seed) => split(untimed, seed).test.join())).size).toBeGreaterThan(1);
  });

  test('holds out one of two items and nothing of a single one', () => {
    expect(split([['u', 'a', 1], ['u', 'b', 2], ['v', 'a', 1]])).toEqual({ train: ['a', 'a'], test: ['b'] });
  });

  test('never holds out what a source is itself', () => {
    const data = trainingData([['m1', 'film'], ['m2', 'film'], ['m3', 'film']], [['m1', 'm2'], ['m1', 'm3']]);
    const catalogue = numberItems(data);
    for (let seed = 0; seed < 10; seed++) {
      const { test: heldOut } = splitHistory(buildHistory(data, catalogue), catalogue, seed);
      expect(heldOut.index).toHaveLength(1);
      expect(heldOut.index[0]).not.toBe(0);
    }
  });
});

describe('listMetrics', () => {
  test('are recall and ndcg by hand', () => {
    const { recall, ndcg } = listMetrics(Int32Array.of(4, 7, 9), Int32Array.of(7, 1));
    expect(recall).toBe(0.5);
    expect(ndcg).toBeCloseTo(1 / Math.log2(3) / (1 + 1 / Math.log2(3)), 12);
  });
});

describe('bootstrapMeans', () => {
  test('the interval of a fair coin is that of the normal approximation', () => {
    const coin = Float64Array.from({ length: 400 }, (_, n) => n % 2);
    const [estimate] = bootstrapMeans([coin], 1);
    expect(estimate?.value).toBe(0.5);
    expect(estimate?.low).toBeCloseTo(0.5 - 1.96 * 0.025, 1.5);
    expect(estimate?.high).toBeCloseTo(0.5 + 1.96 * 0.025, 1.5);
  });

  test('a constant has no width', () => {
    expect(bootstrapMeans([new Float64Array(5).fill(0.25)], 1)).toEqual([{ value: 0.25, low: 0.25, high: 0.25 }]);
  });
});

describe('evaluate', () => {
  test('finds the operator better than popularity where taste is all there is', () => {
    // Each user's history lacks one film of the user's own block; popularity cannot tell the two blocks apart.
    const { entities, pairs } = twoBlocks(40, 30);
    const evaluation = evaluate(trainingData(entities, pairs), options, () => {});
    expect(evaluation?.users).toBe(80);
    expect(evaluation?.verdict).toBe('better than popularity');
    expect(evaluation?.['recall@20'].value).toBeGreaterThan(0.9);
    expect(evaluation?.popularity['recall@20'].value).toBeLessThan(evaluation?.['recall@20'].low ?? 0);
    expect(evaluation?.coverage).toBeGreaterThan(0.9);
  });

  test('does not claim to beat popularity where users act alike by chance', () => {
    const pairs: PairRow[] = [];
    for (let user = 0; user < 30; user++) {
      for (let step = 0; step < 4; step++) pairs.push([`u${user}`, `i${(user * 7 + step * step * 5) % 11}`]);
    }
    const distinct = [...new Map(pairs.map((pair) => [pair.join(), pair])).values()];
    expect(evaluate(trainingData([], distinct), options, () => {})?.verdict).toBe('not better than popularity yet');
  });

  test('claims to be better only where a difference is above 0 and the other not below, with at least 20 users', () => {
    for (const [users, better] of [[6, false], [9, false], [10, true], [40, true]] as const) {
      const { entities, pairs } = twoBlocks(users, 8);
      const found = evaluate(trainingData(entities, pairs), options, () => {}) as Evaluation;
      const above = rankingMetrics.some((name) => (found.popularity_difference?.[name].low ?? 0) > 0) && !rankingMetrics.some((name) => (found.popularity_difference?.[name].high ?? 0) < 0);
      expect([found.users, found.verdict]).toEqual([2 * users, above && better ? 'better than popularity' : 'not better than popularity yet']);
      for (const name of rankingMetrics) {
        const difference = found.popularity_difference?.[name];
        expect(difference?.value).toBeCloseTo(found[name].value - found.popularity[name].value, 12);
        for (const { value, low, high } of [found[name], found['item-knn'][name], difference].flatMap((estimate) => estimate ?? [])) {
          expect(low).toBeLessThanOrEqual(value);
          expect(high).toBeGreaterThanOrEqual(value);
        }
      }
    }
  });

  test('is null when nothing can be held out', () => {
    expect(evaluate(trainingData([], [['u', 'a'], ['v', 'b']]), options, () => {})).toBeNull();
  });
});
