// Quality of related items: asks for the related items of one of a user's items and looks for a held-out item of the same user in
// the first 20. Baselines: item-kNN (cosine) and popularity. Also prints the ranks of films that people expect.
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import { numberItems } from '../../packages/recommender/engine/catalogue/numberItems.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { buildHistory } from '../../packages/recommender/engine/matrix/buildHistory.ts';
import { toInteractions } from '../../packages/recommender/engine/matrix/interactions.ts';
import { transpose } from '../../packages/recommender/engine/matrix/transpose.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import type { TrainedModel } from '../../packages/recommender/engine/data/trainedModel.ts';
import { readMovieLens, toTrainingData, type Entity, type Pair } from './readData.ts';

const seed = 5;
const heldOutShare = 0.1;
const firstPlaces = 20;

interface Question {
  asked: string;
  wanted: string;
}

const folder = process.argv[2];
if (folder === undefined) {
  console.error('usage: node --import tsx bench/recommender/related.ts <folder of ml-latest-small>');
  process.exit(1);
}
const { entities, pairs } = readMovieLens(folder);
const { train, questions } = holdOut(pairs);
const model = trainLists(entities, train);
const cosine = cosineLists(entities, train);
const popular = popularLists(train);
console.log(`${questions.length} questions, recall@${firstPlaces} and the same with d_j^-1/2 as the weight of a question`);
report('related items', (item) => namesOf(model, item));
report('item-kNN (cosine)', cosine);
report('popularity', popular);

const whole = trainLists(entities, pairs);
for (const [asked, ...wanted] of [['film-1', 'film-3114', 'film-2355'], ['film-260', 'film-1196', 'film-1210'], ['film-858', 'film-1221', 'film-2023']]) {
  const list = namesOf(whole, asked ?? '');
  console.log(`${asked}: ${wanted.map((film) => `${film} at place ${list.indexOf(film) + 1 || '> 100'}`).join(', ')}`);
}

function holdOut(all: readonly Pair[]): { train: Pair[]; questions: Question[] } {
  const random = seededRandom(seed);
  const kept: Pair[] = [];
  const asked: Question[] = [];
  for (const own of group(all).values()) {
    const shuffled = own.map((pair) => ({ pair, key: random.below(2 ** 30) })).sort((a, b) => a.key - b.key);
    const count = own.length < 5 ? 0 : Math.max(1, Math.floor(own.length * heldOutShare));
    const rest = shuffled.slice(count).map(({ pair }) => pair);
    kept.push(...rest);
    for (const { pair } of shuffled.slice(0, Math.min(count, 10))) {
      asked.push({ asked: (rest[random.below(rest.length)] as Pair).target, wanted: pair.target });
    }
  }
  return { train: kept, questions: asked };
}

function group(all: readonly Pair[]): Map<string, Pair[]> {
  const bySource = new Map<string, Pair[]>();
  for (const pair of all) {
    const own = bySource.get(pair.source);
    if (own === undefined) bySource.set(pair.source, [pair]);
    else own.push(pair);
  }
  return bySource;
}

function trainLists(films: readonly Entity[], interactions: readonly Pair[]): TrainedModel {
  const data = toTrainingData(films, interactions);
  const options = { setting: defaultSetting, seed: 1 };
  return computeNeighbours(data, computeFactors(data, options, () => {}), options, () => {});
}

function namesOf({ nodes, nodeItem, itemNode, related }: TrainedModel, id: string): string[] {
  const item = nodeItem[nodes.ids.indexOf(id)] ?? -1;
  if (item < 0) return [];
  const own = related.index.subarray(related.pointer[item], related.pointer[item + 1]);
  return Array.from(own, (other) => nodes.ids[itemNode[other] as number] as string);
}

function cosineLists(films: readonly Entity[], interactions: readonly Pair[]): (id: string) => string[] {
  const data = toTrainingData(films, interactions);
  const catalogue = numberItems(data);
  const { rows, itemDegree } = toInteractions(buildHistory(data, catalogue), catalogue.itemNode.length);
  const audience = transpose(rows, itemDegree.length);
  return (id) => {
    const item = catalogue.nodeItem[data.nodes.ids.indexOf(id)] ?? -1;
    if (item < 0) return [];
    const common = new Float64Array(itemDegree.length);
    for (const user of audience.index.subarray(audience.pointer[item], audience.pointer[item + 1])) {
      for (const other of rows.index.subarray(rows.pointer[user], rows.pointer[user + 1])) common[other] = (common[other] as number) + 1;
    }
    common[item] = 0;
    const value = common.map((count, other) => count / Math.sqrt((itemDegree[other] as number) || 1));
    const order = Array.from(value.keys()).filter((other) => (value[other] as number) > 0);
    order.sort((a, b) => (value[b] as number) - (value[a] as number) || a - b);
    return order.slice(0, firstPlaces).map((other) => data.nodes.ids[catalogue.itemNode[other] as number] as string);
  };
}

function popularLists(interactions: readonly Pair[]): () => string[] {
  const counts = countTargets(interactions);
  const first = [...counts].sort((a, b) => b[1] - a[1]).slice(0, firstPlaces).map(([id]) => id);
  return () => first;
}

function countTargets(interactions: readonly Pair[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { target } of interactions) counts.set(target, (counts.get(target) ?? 0) + 1);
  return counts;
}

function report(name: string, listOf: (id: string) => string[]): void {
  const counts = countTargets(train);
  let hits = 0;
  let weighted = 0;
  let weights = 0;
  for (const { asked, wanted } of questions) {
    const weight = (counts.get(wanted) ?? 1) ** -0.5;
    weights += weight;
    if (!listOf(asked).slice(0, firstPlaces).includes(wanted)) continue;
    hits += 1;
    weighted += weight;
  }
  console.log(`${name.padEnd(20)} ${(hits / questions.length).toFixed(4)}  ${(weighted / weights).toFixed(4)}`);
}
