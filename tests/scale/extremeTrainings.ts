import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { createRandom } from '../../packages/recommender/engine/linear/random.ts';
import { trainingData, type EntityRow, type PairRow } from '../../packages/recommender/testing/testData.ts';
import { train } from '../../packages/recommender/testing/train.ts';
import { expectTrue, type HeavyTest } from './heavyTest.ts';
import type { TrainedModel } from '../../packages/recommender/engine/data/trainedModel.ts';

const users = 5_000;

/** Generates ordinary users: each user knows twenty of the first `items` items, with a preference for low item numbers. */
function ordinary(items: number): PairRow[] {
  const random = createRandom(2);
  const pairs: PairRow[] = [];
  for (let user = 0; user < users; user++) {
    const seen = new Set<number>();
    while (seen.size < 20) seen.add(Math.floor(items * random.uniform() ** 2));
    for (const item of seen) pairs.push([`user-${user}`, `item-${item}`, 1e12 + user]);
  }
  return pairs;
}

/** Counts the items with a non-empty list of related items, among the items that ordinary users know. */
function listed(model: TrainedModel, items: number): number {
  let found = 0;
  for (let item = 0; item < items; item++) {
    const number = model.nodeItem[model.nodes.ids.indexOf(`item-${item}`)] ?? -1;
    if (number >= 0 && (model.related.pointer[number + 1] ?? 0) > (model.related.pointer[number] ?? 0)) found++;
  }
  return found;
}

function expectSound(model: TrainedModel): void {
  for (const column of [model.operator.value, model.related.value, model.related.score, model.trend, model.vectors, model.embedding]) {
    expectTrue('a number of the model is not finite', column.every(Number.isFinite));
  }
}

function checkTraining(print: (line: string) => void, entities: readonly EntityRow[], pairs: readonly PairRow[]): void {
  const data = trainingData(entities, pairs);
  const start = performance.now();
  const model = train(data, { setting: { ...defaultSetting, recency: true, transitions: 0.3 }, seed: 1 }, () => {});
  const peak = process.resourceUsage().maxRSS / 1024;
  print(`${pairs.length} interactions, ${model.itemNode.length} items: ${((performance.now() - start) / 1000).toFixed(0)} s, peak ${peak.toFixed(0)} MB`);
  expectSound(model);
  const found = listed(model, 100);
  expectTrue(`of the 100 best known items only ${found} have related ones`, found === 100);
  expectTrue('what ordinary users take is not found again', (model.evaluation?.['recall@20'].value ?? 0) > 0);
}

export const millionInteractions: HeavyTest = {
  name: 'millionInteractions',
  guarantee: 'a user with a million interactions among ordinary ones is trained on, and takes nothing from the lists of the others',
  skip: async () => null,
  run: async (print) => {
    const crawled = Array.from({ length: 1_000_000 }, (_, item): PairRow => ['crawler', `item-${item}`, 1e12 + item]);
    checkTraining(print, [], [...crawled, ...ordinary(20_000)]);
  },
};

export const millionAttributes: HeavyTest = {
  name: 'millionAttributes',
  guarantee: 'items with a million distinct attribute values are trained on',
  skip: async () => null,
  run: async (print) => {
    const entities = Array.from({ length: 100_000 }, (_, item): EntityRow => [
      `item-${item}`, 'thing', '', { kind: `kind-${item % 50}`, tags: Array.from({ length: 10 }, (_, tag) => `tag-${item}-${tag}`) },
    ]);
    checkTraining(print, entities, ordinary(20_000));
  },
};
