/**
 * What the entities of a catalogue, most of all those without interactions, cost or give the lists of users, on MovieLens latest-small: the latest tenth of each user's ratings
 * is left out as the test part, and the tenth before is held out. Prints recall@20 and ndcg@20 with and without the file of films, and how often the first ten items
 * come true by the number of their ratings.
 *   node --import tsx bench/recommender/catalogue.ts <folder of ml-latest-small>
 */
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import type { OperatorSetting, TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';
import { Recommender } from '../../packages/recommender/engine/query/recommender.ts';
import type { ModelReader } from '../../packages/recommender/engine/modelFile/openModel.ts';
import { train } from '../../packages/recommender/testing/train.ts';
import { withModel } from '../../packages/recommender/testing/withModel.ts';
import { holdOutLatest } from './holdOut.ts';
import { mean, ndcg, printTable, recall } from './rankings.ts';
import { readMovieLens, toTrainingData } from './readData.ts';

const seed = 1;
const cutoff = 20;
const firstItems = 10;
/** Least number of ratings of each group of films. */
const groups = [0, 1, 2, 5, 20];
/** The default, and what trainings of this data have chosen at different times. */
const settings: Record<string, OperatorSetting> = {
  default: defaultSetting,
  'all pairs': { pu: -0.5, pa: -0.5, pb: -0.05, T: 2, b: 0, allPairs: true },
  'all pairs, ridge': { pu: -0.5, pa: -0.5, pb: -0.5, T: 2, b: 0, allPairs: true, ridge: 0.288, lambda: 30, recency: true, transitions: 0.3 },
  'all pairs, ridge, als': { pu: -0.5, pa: -0.5, pb: -0.5, T: 3, b: 0, allPairs: true, ridge: 1.09, lambda: 60, als: 0.441, recency: true, transitions: 0.3 },
};

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: catalogue.ts <folder of ml-latest-small>');
const { entities, pairs } = readMovieLens(folder);
const rows: string[][] = [];
for (const [name, setting] of Object.entries(settings)) {
  for (const [catalogue, films] of [['films', entities], ['none', []]] as const) {
    const { data, wanted } = holdOutLatest(holdOutLatest(toTrainingData(films, pairs)).data);
    await withModel(train(data, { setting, seed }, () => {}), (model) => rows.push([name, catalogue, ...measure(model, ratingsOf(data), wanted)]));
  }
}
printTable(['setting', 'entities', 'recall@20', 'ndcg@20', ...groups.map((least, at) => `entries with ${[least, ...(at < groups.length - 1 ? [(groups[at + 1] ?? 0) - 1] : ['more'])].join(' to ')} ratings, come true`)], rows);

function ratingsOf({ nodes, pairs: { target } }: TrainingData): Map<string, number> {
  const ratings = new Map<string, number>();
  for (const node of target) ratings.set(nodes.ids[node] ?? '', (ratings.get(nodes.ids[node] ?? '') ?? 0) + 1);
  return ratings;
}

function measure(model: ModelReader, ratings: ReadonlyMap<string, number>, wanted: Iterable<readonly [string, readonly string[]]>): string[] {
  const recommender = new Recommender(model);
  const found = groups.map(() => ({ entries: 0, true: 0 }));
  const [recalls, ndcgs]: [number[], number[]] = [[], []];
  for (const [user, later] of wanted) {
    const node = model.findNode(user);
    if (node < 0) continue;
    const ranking = recommender.recommend(node, { types: null, limit: cutoff, threshold: 0 });
    const list = Array.from({ length: ranking.count }, (_, place) => model.ids.get(model.itemNode[ranking.item[place] ?? 0] ?? 0));
    const expected = new Set(later);
    recalls.push(recall(list, expected));
    ndcgs.push(ndcg(list, expected, cutoff));
    for (const id of list.slice(0, firstItems)) {
      const group = found[groups.findLastIndex((least) => (ratings.get(id) ?? 0) >= least)];
      if (group === undefined) continue;
      group.entries += 1;
      if (expected.has(id)) group.true += 1;
    }
  }
  return [mean(recalls).toFixed(4), mean(ndcgs).toFixed(4), ...found.map((group) => (group.entries === 0 ? '0' : `${group.entries}, ${((100 * group.true) / group.entries).toFixed(1)} %`))];
}
