import { describe, expect, test } from 'vitest';
import { defaultSetting } from './data/defaultSetting.ts';
import { trainingData, twoBlocks } from '../testing/testData.ts';
import { train } from '../testing/train.ts';
import type { EntityRow, PairRow } from '../testing/testData.ts';
import type { TrainedModel } from './data/trainedModel.ts';
import type { TrainingData } from './data/trainingData.ts';

const options = { setting: defaultSetting, seed: 1 };
const trained = (entities: readonly EntityRow[], pairs: readonly PairRow[]): TrainedModel =>
  train(trainingData(entities, pairs), options, () => {});

/** Item ids of an item's related list or operator row. */
function listOf(model: TrainedModel, id: string, list: 'related' | 'operator' = 'related'): string[] {
  const item = model.nodeItem[model.nodes.ids.indexOf(id)] as number;
  const { pointer, index } = model[list];
  return Array.from(
    index.subarray(pointer[item], pointer[item + 1]),
    (other) => model.nodes.ids[model.itemNode[other] as number] as string,
  );
}

/** Checks the properties that hold for every model, regardless of its training data. */
function expectSound(model: TrainedModel): void {
  const items = model.itemNode.length;
  expect(model.operator.pointer).toHaveLength(items + 1);
  expect(model.related.pointer).toHaveLength(items + 1);
  expect(model.embedding).toHaveLength(items * model.rank);
  expect(model.vectors).toHaveLength(items * model.rank);
  expect(model.ridge).toHaveLength(model.attributes.field.length * model.rank);
  for (const list of [model.operator, model.related]) {
    for (let item = 0; item < items; item++) {
      const row = list.index.subarray(list.pointer[item], list.pointer[item + 1]);
      expect(row.includes(item)).toBe(false);
      expect(new Set(row).size).toBe(row.length);
    }
    for (const score of list.score) expect(score >= 0 && score <= 1).toBe(true);
  }
  const { operator, related, embedding, trend, contentWeight, relatedDivisor } = model;
  for (const numbers of [operator.value, related.value, embedding, trend, contentWeight, relatedDivisor]) {
    expect(numbers.every(Number.isFinite)).toBe(true);
  }
  for (let item = 0; item < items; item++) {
    const start = model.related.pointer[item] as number;
    for (let k = start + 1; k < (model.related.pointer[item + 1] as number); k++) {
      const type = (place: number): number =>
        model.nodes.type[model.itemNode[model.related.index[place] as number] as number] as number;
      if (type(k) !== type(k - 1)) {
        expect(type(k)).toBeGreaterThan(type(k - 1));
        continue;
      }
      expect(model.related.score[k]).toBeLessThanOrEqual(model.related.score[k - 1] as number);
      expect(model.related.value[k]).toBeLessThanOrEqual(model.related.value[k - 1] as number);
    }
  }
}

describe('two blocks of users and films', () => {
  const { entities, pairs } = twoBlocks();
  const model = trained(entities, pairs);

  test('make a sound model', () => expectSound(model));

  test('relate each film to the films of its block first', () => {
    for (const [id] of entities) {
      const block = id.split('-')[0] as string;
      const related = listOf(model, id);
      expect(related.slice(0, 5).map((other) => other.split('-')[0])).toEqual(Array(5).fill(block));
    }
  });

  test('give operator rows within the block only', () => {
    const row = listOf(model, 'crime-0', 'operator');
    expect(row).toHaveLength(5);
    expect(row.every((id) => id.startsWith('crime'))).toBe(true);
  });

  test('give sound rows with all pairs, first of the block', () => {
    const sparse = { pu: -0.5, pa: -0.5, pb: -0.05, T: -1, b: 2, allPairs: true };
    const whole = train(trainingData(entities, pairs), { setting: sparse, seed: 1 }, () => {});
    expectSound(whole);
    for (const [id] of entities) {
      expect(listOf(whole, id, 'operator').slice(0, 5).map((other) => other.split('-')[0])).toEqual(Array(5).fill(id.split('-')[0]));
    }
  });

  test('report progress often and in order, and can be aborted', () => {
    const seen: string[] = [];
    const controller = new AbortController();
    const data = trainingData(entities, pairs);
    train(data, options, (stage, fraction) => {
      expect(fraction).toBeGreaterThanOrEqual(0);
      expect(fraction).toBeLessThanOrEqual(1);
      if (seen.at(-1) !== stage) seen.push(stage);
    });
    expect(seen).toEqual(['factors', 'neighbours', 'evaluate']);
    controller.abort(new Error('enough'));
    expect(() => train(data, options, () => {}, controller.signal)).toThrow('enough');
  });

  test('give the same bytes again', () => {
    expect(trained(entities, pairs)).toEqual(model);
  });
});

describe('items that few or none have met', () => {
  test('a film without interactions is related to the films of its genre', () => {
    const { entities, pairs } = twoBlocks();
    const model = trained([...entities, ['new', 'film', '', { genre: 'romance' }]], pairs);
    expectSound(model);
    expect(listOf(model, 'new').slice(0, 6).every((id) => id.startsWith('romance'))).toBe(true);
    expect(listOf(model, 'romance-0')).toContain('new');
    expect(listOf(model, 'new', 'operator')).toEqual([]);
    expect(model.contentWeight[model.nodeItem[model.nodes.ids.indexOf('new')] as number]).toBe(1);
  });

  test('a film without interactions and attributes has an empty list and harms nobody', () => {
    const { entities, pairs } = twoBlocks();
    const model = trained([...entities, ['bare', 'film']], pairs);
    expectSound(model);
    expect(listOf(model, 'bare')).toEqual([]);
    expect(listOf(model, 'crime-0')).not.toContain('bare');
  });

  test('new films that share only what no known film has are related to each other', () => {
    const { entities, pairs } = twoBlocks();
    const fresh = ['new-1', 'new-2'].map((id): EntityRow => [id, 'film', '', { genre: 'noir' }]);
    const model = trained([...entities, ...fresh], pairs);
    expectSound(model);
    expect(listOf(model, 'new-1')).toEqual(['new-2']);
  });

  test('an item with one user gets no operator row', () => {
    const model = trained([], [['u', 'a'], ['u', 'b'], ['v', 'b'], ['v', 'c'], ['u', 'c']]);
    expectSound(model);
    expect(listOf(model, 'a', 'operator')).toEqual([]);
    expect(listOf(model, 'b', 'operator')).toContain('a');
  });
});

describe('a catalogue without interactions', () => {
  const model = trained(
    [
      ['f1', 'film', '', { genre: ['crime', 'drama'] }],
      ['f2', 'film', '', { genre: ['crime', 'drama'] }],
      ['f3', 'film', '', { genre: 'drama' }],
      ['f4', 'film'],
      ['s1', 'series', '', { genre: ['crime', 'drama'] }],
      ['s2', 'series', '', { genre: 'drama' }],
    ],
    [],
  );

  test('relates items of one type by the cosine of their attributes, which is the score', () => {
    expectSound(model);
    expect(listOf(model, 'f1')).toEqual(['f2', 'f3']);
    expect(listOf(model, 's1')).toEqual(['s2']);
    expect(listOf(model, 'f4')).toEqual([]);
    const start = model.related.pointer[model.nodeItem[model.nodes.ids.indexOf('f1')] as number] as number;
    // Weights are ln(1 + 6/3) for crime and ln(1 + 6/5) for drama. f1 and f2 have the same genres; f1 and f3 share drama
    // only.
    const [crime, drama] = [Math.log(3), Math.log(2.2)];
    expect(model.related.score[start]).toBeCloseTo(1, 6);
    expect(model.related.score[start + 1]).toBeCloseTo(drama / Math.hypot(crime, drama), 6);
  });

  test('has no operator, users, trend or evaluation', () => {
    expect(model.operator.index).toHaveLength(0);
    expect(model.userNode).toHaveLength(0);
    expect(model.trend.every((value) => value === 0)).toBe(true);
    expect(model.evaluation).toBeNull();
    expect([...model.targetTypes]).toEqual([0, 1]);
  });
});

describe('extreme data', () => {
  const empty: TrainingData = trainingData([], []);
  const cases: [string, TrainingData][] = [
    ['nothing at all', empty],
    ['one entity', trainingData([['a', 'film', 'A', { x: 1 }]], [])],
    ['one interaction', trainingData([], [['u', 'a']])],
    ['one user', trainingData([], [['u', 'a', 1], ['u', 'b', 2], ['u', 'c', 3]])],
    ['one item', trainingData([], [['u', 'a'], ['v', 'a'], ['w', 'a']])],
    [
      'empty metadata',
      trainingData([['a', 'film', '', {}], ['b', 'film', '', '']], [['u', 'a'], ['u', 'b'], ['v', 'a']]),
    ],
    ['equal times', trainingData([], [['u', 'a', 5], ['u', 'b', 5], ['v', 'a', 5], ['v', 'b', 5], ['v', 'c', 5]])],
    ['times from negative to far', trainingData([], [['u', 'a', -8e15], ['u', 'b', 8e15], ['v', 'a', 0], ['v', 'b']])],
    [
      'everybody took everything',
      trainingData([], ['u', 'v', 'w'].flatMap((u) => ['a', 'b', 'c'].map((i): PairRow => [u, i]))),
    ],
    [
      'links among films',
      trainingData(['a', 'b', 'c'].map((id): EntityRow => [id, 'film']), [['a', 'b'], ['b', 'c'], ['c', 'a']]),
    ],
  ];
  test.each(cases)('%s makes a sound model, twice the same', (_, data) => {
    const model = train(data, options, () => {});
    expectSound(model);
    expect(train(data, options, () => {})).toEqual(model);
  });

  test('a film that links to another is related to it, and never to itself', () => {
    const entities = Array.from({ length: 6 }, (_, n): EntityRow => [`film-${n}`, 'film']);
    const links: PairRow[] = [['film-0', 'film-1'], ['film-2', 'film-1'], ['film-3', 'film-4'], ['film-5', 'film-4']];
    const model = trained(entities, links);
    expectSound(model);
    expect(listOf(model, 'film-1')).toEqual(expect.arrayContaining(['film-0', 'film-2']));
    expect(listOf(model, 'film-1')[0]).toMatch(/film-[02]/);
  });

  test('sixteen target types have their own lists, up to 100 each, in the order of the types', () => {
    const entities: EntityRow[] = [];
    const pairs: PairRow[] = [];
    for (let type = 0; type < 16; type++) {
      for (let n = 0; n < 4; n++) {
        const id = `t${String(type).padStart(2, '0')}-${n}`;
        entities.push([id, `type-${String(type).padStart(2, '0')}`]);
        for (let user = 0; user < 8; user++) if ((user + n) % 2 === 0) pairs.push([`user-${user}`, id]);
      }
    }
    const model = trained(entities, pairs);
    expectSound(model);
    expect(model.targetTypes).toHaveLength(16);
    const types = new Set(listOf(model, 't00-0').map((id) => id.slice(0, 3)));
    expect(types.size).toBe(16);
  });
});
