import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelReader } from '../modelFile/openModel.ts';
import { randomModel } from '../../testing/randomModel.ts';
import type { TrainedModel } from '../data/trainedModel.ts';
import { filterTypes } from './listOptions.ts';
import { ItemScores } from '../evaluation/itemScores.ts';
import { scoreHistory } from '../evaluation/scoreHistory.ts';
import { Recommender } from './recommender.ts';
import { awkwardIds, entries, everything, ids } from '../../testing/testRankings.ts';
import { withModel } from '../../testing/withModel.ts';

const shape = fc.record({
  ids: fc.uniqueArray(fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }), fc.constantFrom(...awkwardIds)), {
    minLength: 1,
    maxLength: 60,
  }),
  types: fc.integer({ min: 0, max: 3 }),
  itemShare: fc.double({ min: 0, max: 1, noNaN: true }),
  attributes: fc.integer({ min: 0, max: 6 }),
  rank: fc.integer({ min: 0, max: 4 }),
  seed: fc.integer(),
});
const options = fc.record({
  limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(10_000)),
  threshold: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  typeNames: fc.option(fc.uniqueArray(fc.constantFrom('type 0', 'type 1', 'type 2', 'no such type'))),
});

function historyOf(model: TrainedModel, user: number): number[] {
  return [...model.history.index.subarray(model.history.pointer[user], model.history.pointer[user + 1])];
}

function expectRules(model: TrainedModel, reader: ModelReader, node: number, list: ReturnType<typeof entries>): void {
  const scores = list.map(({ score }) => score);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  for (const score of scores) expect(score >= 0 && score <= 1, `score ${score}`).toBe(true);
  expect(new Set(list.map(({ item }) => item)).size).toBe(list.length);
  expect(list.map(({ item }) => model.itemNode[item])).not.toContain(node);
  const user = model.nodeItem[node] === -1 ? (model.nodeUser[node] ?? -1) : -1;
  if (user >= 0) for (const item of historyOf(model, user)) expect(list.map(({ item }) => item)).not.toContain(item);
  for (const { item } of list) expect(model.targetTypes).toContain(reader.typeOfItem(item));
}

describe('every list', () => {
  test('has scores in [0,1] that never rise, nothing twice, neither the source nor what it has seen', async () => {
    await fc.assert(
      fc.asyncProperty(shape, async (shape) => {
        const model = randomModel(shape);
        await withModel(model, (reader) => {
          const recommender = new Recommender(reader);
          for (let node = 0; node < model.nodes.count; node += 1) {
            expectRules(model, reader, node, entries(recommender.recommend(node, everything)));
          }
        });
      }),
      { numRuns: 30 },
    );
  });

  test('respects limit, threshold and types, and is then the beginning of the longer list of these types', async () => {
    await fc.assert(
      fc.asyncProperty(shape, options, fc.constantFrom(0, 2 ** 28), async (shape, { limit, threshold, typeNames }, memory) => {
        const model = randomModel(shape);
        await withModel(model, (reader) => {
          const recommender = new Recommender(reader);
          const types = filterTypes(reader, typeNames ?? []);
          for (let node = 0; node < model.nodes.count; node += 1) {
            const whole = entries(recommender.recommend(node, { ...everything, types }));
            const list = entries(recommender.recommend(node, { types, limit, threshold }));
            const expected = whole.filter(({ score }) => score >= threshold).slice(0, limit);
            expect(list.map(({ item, score }) => [item, score])).toEqual(expected.map(({ item, score }) => [item, score]));
            if (typeNames === null || types === null) continue;
            for (const { item } of list) expect(typeNames).toContain(model.types[reader.typeOfItem(item)]);
          }
        }, memory);
      }),
      { numRuns: 30 },
    );
  });

  test('is the same whatever was asked before', async () => {
    const model = randomModel({ ids: ids(80), types: 2, itemShare: 0.6, attributes: 5, rank: 3, seed: 11 });
    await withModel(model, (reader) => {
      const used = new Recommender(reader);
      for (let node = 0; node < model.nodes.count; node += 1) used.recommend(node, everything);
      for (let node = model.nodes.count - 1; node >= 0; node -= 1) {
        const fresh = new Recommender(reader);
        expect(entries(used.recommend(node, everything))).toEqual(entries(fresh.recommend(node, everything)));
      }
    });
  });
});

describe('the source decides:', () => {
  test('an item gets its stored related items, also when it is a user as well', async () => {
    const model = randomModel({ ids: ids(60), types: 0, itemShare: 0.8, attributes: 0, rank: 0, seed: 4 });
    await withModel(model, (reader) => {
      const recommender = new Recommender(reader);
      expect([...model.itemNode].some((node) => (model.nodeUser[node] ?? -1) >= 0)).toBe(true);
      for (const [item, node] of model.itemNode.entries()) {
        const ranking = recommender.recommend(node, everything);
        const stored = [...model.related.index.subarray(model.related.pointer[item], model.related.pointer[item + 1])];
        expect(ranking.kind).toBe('related');
        expect(entries(ranking).map(({ item }) => item)).toEqual(stored.filter((other) => other !== item));
      }
    });
  });

  test('a user of a model that goes by time gets the list that the evaluation measures', async () => {
    const model = randomModel({ ids: ids(60), types: 0, itemShare: 0.5, attributes: 0, rank: 0, seed: 9 });
    expect(model.setting).toMatchObject({ recency: true, transitions: 0.3 });
    const scoreUser = scoreHistory(model.history, model.operator, model.transitions, model.setting);
    let compared = 0;
    await withModel(model, (reader) => {
      const recommender = new Recommender(reader);
      for (const [user, node] of model.userNode.entries()) {
        const history = historyOf(model, user);
        const reached = history.some((item) => (model.operator.pointer[item + 1] ?? 0) > (model.operator.pointer[item] ?? 0));
        if ((model.nodeItem[node] ?? -1) >= 0 || !reached) continue;
        const scores = new ItemScores(model.itemNode.length);
        scoreUser(user, scores);
        const expected = [...scores.value.entries()].filter(([item, value]) => value > 0 && !history.includes(item));
        expected.sort(([a, x], [b, y]) => y - x || a - b);
        const list = entries(recommender.recommend(node, everything));
        if (expected.length === 0) continue;
        expect(list.map(({ item }) => item)).toEqual(expected.map(([item]) => item));
        list.forEach(({ value }, rank) => expect(value).toBeCloseTo(expected[rank]?.[1] ?? Number.NaN, 12));
        compared += 1;
      }
    });
    expect(compared).toBeGreaterThan(5);
  });

  test('a user gets the sum of the operator rows of its history, best first', async () => {
    const model = randomModel({ ids: ids(60), types: 0, itemShare: 0.5, attributes: 0, rank: 0, seed: 8 });
    let compared = 0;
    await withModel(model, (reader) => {
      const recommender = new Recommender(reader);
      for (const [user, node] of model.userNode.entries()) {
        if ((model.nodeItem[node] ?? -1) >= 0) continue;
        const sums = new Map<number, number>();
        const history = historyOf(model, user);
        for (const item of history) {
          for (let at = model.operator.pointer[item] ?? 0; at < (model.operator.pointer[item + 1] ?? 0); at += 1) {
            const other = model.operator.index[at] ?? -1;
            sums.set(other, (sums.get(other) ?? 0) + (model.operator.value[at] ?? 0));
          }
        }
        if (sums.size === 0) continue;
        for (const item of history) sums.delete(item);
        const expected = [...sums].filter(([, value]) => value > 0).sort(([a, x], [b, y]) => y - x || a - b);
        const list = entries(recommender.recommend(node, everything));
        if (expected.length === 0) continue;
        expect(list.map(({ item, value }) => [item, value])).toEqual(expected);
        compared += 1;
      }
    });
    expect(compared).toBeGreaterThan(5);
  });

  test('a node without history, and a history that leads nowhere, get trending items', async () => {
    const model = randomModel({ ids: ids(40), types: 1, itemShare: 0.5, attributes: 0, rank: 0, seed: 2 });
    const empty = { pointer: new Float64Array(model.itemNode.length + 1), index: new Int32Array(0) };
    const none = { ...empty, value: new Float32Array(0), score: new Float32Array(0) };
    await withModel({ ...model, operator: none, related: none }, (reader) => {
      const recommender = new Recommender(reader);
      const kinds = [...model.nodes.ids.keys()].filter((node) => model.nodeItem[node] === -1).map((node) => {
        const ranking = recommender.recommend(node, everything);
        expect(ranking.count).toBeGreaterThan(0);
        return ranking.kind;
      });
      expect(kinds.length).toBeGreaterThan(5);
      expect(new Set(kinds)).toEqual(new Set(['trending']));
    });
  });
});

describe('trending items', () => {
  test('are scored by their share of the largest trend of the type, at most `limit` of each type', async () => {
    const model = randomModel({ ids: ids(90), types: 2, itemShare: 0.9, attributes: 0, rank: 0, seed: 6 });
    await withModel(model, (reader) => {
      const list = entries(new Recommender(reader).trending({ types: null, limit: 4, threshold: 0 }));
      for (const type of [-1, 0, 1]) {
        const own = list.filter(({ item }) => reader.typeOfItem(item) === type);
        expect(own.length).toBe(4);
        expect(own[0]?.score).toBe(1);
        const largest = Math.max(...[...model.trend].filter((_, item) => reader.typeOfItem(item) === type));
        // Scores show six decimals, so the error is at most half a millionth.
        for (const { item, score } of own) expect(score).toBeCloseTo((model.trend[item] ?? 0) / largest, 5);
      }
      expect(list.map(({ score }) => score)).toEqual(list.map(({ score }) => score).sort((a, b) => b - a));
      const strong = entries(new Recommender(reader).trending({ types: null, limit: 100, threshold: 0.9 }));
      for (const { score } of strong) expect(score).toBeGreaterThanOrEqual(0.9);
      expect(strong.length).toBeGreaterThan(0);
    });
  });

  test('of an unknown type are none', async () => {
    const model = randomModel({ ids: ids(20), types: 1, itemShare: 1, attributes: 0, rank: 0, seed: 6 });
    await withModel(model, (reader) => {
      const types = filterTypes(reader, ['no such type']);
      expect(new Recommender(reader).trending({ types, limit: 4, threshold: 0 }).count).toBe(0);
    });
  });
});
