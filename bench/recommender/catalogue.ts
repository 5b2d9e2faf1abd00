/**
 * What the entities of a catalogue, most of all those without interactions, cost or give the lists of users. On MovieLens latest-small, the latest tenth of each user's ratings
 * is left out as the test part, and the tenth before is held out. Of generated data, the first eight tenths of the period train, and the next is held out. Prints recall@20 and ndcg@20 with and without the
 * file of items, and how often the first ten items come true by the number of their interactions.
 *   node --import ./bench/harness/compiled.mjs bench/recommender/catalogue.ts <folder of ml-latest-small>
 *   node --import ./bench/harness/compiled.mjs bench/recommender/catalogue.ts --generated 3|6|20|60 [--seed 41]
 */
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import type { OperatorSetting, TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { Recommender } from '../../packages/recommender/engine/query/recommender.ts';
import type { ModelReader } from '../../packages/recommender/engine/modelFile/openModel.ts';
import { withModel } from '../../packages/recommender/testing/withModel.ts';
import { periodMs, startMs, tasteEntities, tastePieces, tasteShapes } from '../data/generateTastes.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { holdOutLatest, type HeldOut } from './holdOut.ts';
import { mean, ndcg, printTable, recall } from './rankings.ts';
import { readMovieLens, toTrainingData, type Pair } from './readData.ts';

const seed = 1;
const cutoff = 20;
const firstItems = 10;
/** Least number of interactions of each group of items. */
const groups = [0, 1, 2, 5, 20];
/** The default, and what trainings of this data have chosen at different times. */
const settings: Record<string, OperatorSetting> = {
  default: defaultSetting,
  'all pairs': { pu: -0.5, pa: -0.5, pb: -0.05, T: 2, b: 0, allPairs: true },
  'all pairs, ridge': { pu: -0.5, pa: -0.5, pb: -0.5, T: 2, b: 0, allPairs: true, ridge: 0.288, lambda: 30, recency: true, transitions: 0.3 },
  'all pairs, ridge, als': { pu: -0.5, pa: -0.5, pb: -0.5, T: 3, b: 0, allPairs: true, ridge: 1.09, lambda: 60, als: 0.441, recency: true, transitions: 0.3 },
};

const usage = 'usage: catalogue.ts <folder of ml-latest-small>, or catalogue.ts --generated 3|6|20|60 [--seed 41]';
const { values: flags, positionals: [folder] } = parseCommandLine({ allowPositionals: true, options: { generated: { type: 'string' }, seed: { type: 'string', default: '41' } } }, usage);
const shape = tasteShapes[flags.generated ?? ''];
if ((folder === undefined) === (shape === undefined)) stopCommand('One of the folder and --generated is required.', usage);
const rows: string[][] = [];
for (const [name, setting] of Object.entries(settings)) {
  for (const catalogue of ['items', 'none'] as const) {
    const { data, wanted } = shape === undefined ? filmData(catalogue === 'items') : generatedData({ ...shape, seed: Number(flags.seed) }, catalogue === 'items');
    const model = computeNeighbours(data, computeFactors(data, { setting, seed }, () => {}), { setting, seed }, () => {});
    await withModel(model, (reader) => rows.push([name, catalogue, ...measure(reader, interactionsOf(data), wanted)]));
  }
}
printTable(['setting', 'entities', 'recall@20', 'ndcg@20', ...groups.map((least, at) => `entries with ${[least, ...(at < groups.length - 1 ? [(groups[at + 1] ?? 0) - 1] : ['more'])].join(' to ')} interactions, come true`)], rows);

function filmData(withItems: boolean): HeldOut {
  const { entities, pairs } = readMovieLens(folder ?? '');
  return holdOutLatest(holdOutLatest(toTrainingData(withItems ? entities : [], pairs)).data);
}

function generatedData(taste: Parameters<typeof tastePieces>[0], withItems: boolean): HeldOut {
  const pairs: Pair[] = [];
  const later = new Map<string, string[]>();
  for (const line of [...tastePieces(taste)].join('').trim().split('\n').slice(1)) {
    const [, source = '', target = '', at] = line.split(',');
    const tenth = Math.floor((10 * (Number(at) - startMs)) / periodMs);
    if (tenth < 8) pairs.push({ source, target, time: Number(at) });
    else if (tenth === 8) later.set(source, [...(later.get(source) ?? []), target]);
  }
  return { data: toTrainingData(withItems ? tasteEntities(taste) : [], pairs), wanted: later };
}

function interactionsOf({ nodes, pairs: { target } }: TrainingData): Map<string, number> {
  const interactions = new Map<string, number>();
  for (const node of target) interactions.set(nodes.ids[node] ?? '', (interactions.get(nodes.ids[node] ?? '') ?? 0) + 1);
  return interactions;
}

function measure(model: ModelReader, interactions: ReadonlyMap<string, number>, wanted: Iterable<readonly [string, readonly string[]]>): string[] {
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
      const group = found[groups.findLastIndex((least) => (interactions.get(id) ?? 0) >= least)];
      if (group === undefined) continue;
      group.entries += 1;
      if (expected.has(id)) group.true += 1;
    }
  }
  return [mean(recalls).toFixed(4), mean(ndcgs).toFixed(4), ...found.map((group) => (group.entries === 0 ? '0' : `${group.entries}, ${((100 * group.true) / group.entries).toFixed(1)} %`))];
}
