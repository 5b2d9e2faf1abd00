import { describe, expect, test } from 'vitest';
import { chooseSetting } from './choice/chooseSetting.ts';
import { starts } from './choice/settingGrid.ts';
import { defaultSetting } from './data/defaultSetting.ts';
import { createRandom } from './linear/random.ts';
import { trainingData, type EntityRow, type PairRow } from '../testing/testData.ts';
import { train } from '../testing/train.ts';
import type { TrainedModel } from './data/trainedModel.ts';
import type { TrainingData, TrainingOptions } from './data/trainingData.ts';

/** A model with the setting of a request without parameters; the use of time is chosen if there are times. */
function trained(data: TrainingData, options: Partial<TrainingOptions> = {}): TrainedModel {
  const choice = chooseSetting(data, 'time', 1, () => {});
  return train(data, { setting: choice?.chosen ?? defaultSetting, seed: 1, ...options }, () => {});
}

function expectFinite(model: TrainedModel): void {
  const columns = [
    model.operator.value, model.operator.score, model.related.value, model.related.score, model.transitions.value,
    model.embedding, model.vectors, model.eigenvalues, model.trend, model.attributes.lift, model.contentWeight,
  ];
  for (const column of columns) for (const value of column) if (!Number.isFinite(value)) throw new Error(`${value} in the model`);
  for (const score of model.related.score) expect(score >= 0 && score <= 1).toBe(true);
}

/** Sixty users with a dozen of thirty items each, at the times returned by `time`. */
function ordinary(time: (user: number, step: number) => number | undefined): PairRow[] {
  const random = createRandom(4);
  return Array.from({ length: 60 }, (_, user) => {
    const items = Array.from({ length: 30 }, (_, item) => item).sort(() => random.uniform() - 0.5).slice(0, 12);
    return items.map((item, step): PairRow => {
      const at = time(user, step);
      return at === undefined ? [`u${user}`, `i${item}`] : [`u${user}`, `i${item}`, at];
    });
  }).flat();
}

const listed = (model: TrainedModel, id: string): number => {
  const item = model.nodeItem[model.nodes.ids.indexOf(id)] as number;
  return (model.related.pointer[item + 1] as number) - (model.related.pointer[item] as number);
};

describe('extreme data trains to something sensible:', () => {
  test('one user with a thousand items among ordinary ones', () => {
    const crawler = Array.from({ length: 1_000 }, (_, item): PairRow => ['crawler', `i${item}`, item]);
    const model = trained(trainingData([], [...crawler, ...ordinary((_, step) => step)]));
    expectFinite(model);
    expect(model.historyCap).toBe(500);
    // Only the crawler's latest 500 items count, so its other items do not make all items neighbours.
    expect(listed(model, 'i5')).toBeGreaterThan(0);
    expect(model.history.pointer[1]).toBe(1_000);
  });

  test('one user with a thousand items among ordinary ones, without times, of which the latest are any', () => {
    const crawler = Array.from({ length: 1_000 }, (_, item): PairRow => ['crawler', `i${item}`]);
    const data = trainingData([], [...crawler, ...ordinary(() => undefined)]);
    const model = trained(data);
    expectFinite(model);
    expect(model.historyCap).toBe(4_000);
    // The items that only the crawler has met are related to each other; with a cap of 500, all of these before its last 500 are related to nothing.
    const alone = (capped: TrainedModel): number => Array.from({ length: 970 }, (_, at) => at + 30).filter((item) => listed(capped, `i${item}`) === 0).length;
    expect([alone(model), alone(trained(data, { historyCap: 500 }))]).toEqual([0, 470]);
  });

  test.each([
    ['all timestamps equal', () => 1_600_000_000_000],
    ['timestamps in 1970 and 2200', (user: number) => (user % 2 === 0 ? 0 : 7_258_118_400_000)],
    ['timestamps for a few interactions only', (user: number, step: number) => (user === 0 && step === 0 ? 5 : undefined)],
    ['timestamps at the ends of what a date can hold', (_: number, step: number) => (step % 2 === 0 ? -8.64e15 : 8.64e15)],
  ] as const)('%s', (_, time) => {
    const model = trained(trainingData([], ordinary(time as (user: number, step: number) => number | undefined)));
    expectFinite(model);
    expect(listed(model, 'i5')).toBeGreaterThan(10);
  });

  test('all users alike: every item is related to every other, and nothing can be told', () => {
    const pairs = Array.from({ length: 80 }, (_, user) => Array.from({ length: 8 }, (_, item): PairRow => [`u${user}`, `i${item}`, item])).flat();
    const model = trained(trainingData([], pairs));
    expectFinite(model);
    expect(listed(model, 'i0')).toBe(7);
    expect(model.evaluation?.verdict).toBe('not better than popularity yet');
  });

  test('ids of 1 kB, and of bytes that mean something elsewhere', () => {
    const long = (name: string): string => `${name}${'x'.repeat(1024 - name.length)}`;
    const odd = ['\0', '\u{1F3AC}', '../../etc', '"; DROP', 'a,b\nc'].map((id): PairRow[] => [['u1', id], ['u2', id]]).flat();
    const model = trained(trainingData([], [...ordinary(() => undefined).map(([user, item]): PairRow => [long(user), long(item)]), ...odd]));
    expectFinite(model);
    expect(listed(model, long('i5'))).toBeGreaterThan(10);
  });

  test('metadata nested 100 deep, and values that are all different', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 'deep' : { inner: nested(depth - 1) });
    const entities = Array.from({ length: 100 }, (_, item): EntityRow => [
      `i${item}`, 'film', `Name ${item}`, { nested: nested(100), serial: `serial number ${item}`, list: Array.from({ length: 30 }, (_, at) => `v${item}-${at}`) },
    ]);
    const model = trained(trainingData(entities, ordinary(() => undefined)));
    expectFinite(model);
    expect(listed(model, 'i5')).toBeGreaterThan(10);
  });

  test('items that are only entities are related by what they are; items that are only interactions by who had them', () => {
    const entities = [
      ...Array.from({ length: 10 }, (_, item): EntityRow => [`i${item}`, 'film', '', { kind: item % 2 === 0 ? 'a' : 'b' }]),
      ...['a', 'b', 'none-had'].flatMap((kind) => Array.from({ length: 5 }, (_, at): EntityRow => [`${kind}${at}`, 'film', '', { kind }])),
    ];
    const model = trained(trainingData(entities, ordinary(() => undefined)));
    expectFinite(model);
    // Ten of the ordinary items are films; the other items have no entity.
    expect(listed(model, 'i5')).toBeGreaterThan(10);
    expect(listed(model, 'i15')).toBeGreaterThan(10);
    expect(listed(model, 'a0')).toBeGreaterThan(4);
    expect(listed(model, 'none-had0')).toBe(4);
  });

  test('two interactions a user, almost none shared: no weight of a ridge or of least squares that comes from rounding', () => {
    const random = createRandom(1);
    const pairs = Array.from({ length: 800 }, (_, user) => Array.from({ length: 800 }, (__, item) => item).filter(() => random.uniform() < 2 / 800).map((item): PairRow => [`u${user}`, `i${item}`])).flat();
    const choice = chooseSetting(trainingData([], pairs), 'exponents', 1, () => {});
    // Both summands have only rounding errors, so the sparse start stays without a mixture.
    expect(choice?.chosen).toEqual(starts.sparse);
    for (const { setting } of choice?.candidates ?? []) expect(Math.max(setting.ridge ?? 0, setting.als ?? 0)).toBeLessThan(1e5);
  });

  test.each([
    ['one item', Array.from({ length: 100 }, (_, user): PairRow => [`u${user}`, 'i0', user]), 0],
    ['one user', Array.from({ length: 100 }, (_, item): PairRow => ['u0', `i${item}`, item]), 99],
  ])('%s', (_, pairs, related) => {
    const model = trained(trainingData([], pairs));
    expectFinite(model);
    expect(listed(model, 'i0')).toBe(related);
  });
});
