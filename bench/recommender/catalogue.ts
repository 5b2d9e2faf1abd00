/**
 * What the entities of a catalogue, their metadata and those without interactions, cost or give the lists of users. Prints recall@20 and ndcg@20 with and without the file of items, and how often the
 * entries come true by the number of their interactions.
 *   node --import ./bench/harness/compiled.mjs bench/recommender/catalogue.ts <folder of ml-latest-small>
 *   node --import ./bench/harness/compiled.mjs bench/recommender/catalogue.ts --interactions ml-100k.inter --items ml-100k.item
 *   node --import ./bench/harness/compiled.mjs bench/recommender/catalogue.ts --generated 3|6|20|60 [--seed 41] [--cut period]
 * The latest tenth of each user's interactions is the test part (`--part test`); for the validation part, it is left out, and the tenth before is held out. With `--cut period`, the first eight
 * tenths of the period of generated data train, and the next is held out, where new items appear. The settings are fixed, or, with `--choose`, the one that a training without parameters chooses.
 */
import { chooseSetting } from '../../packages/recommender/engine/choice/chooseSetting.ts';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import type { OperatorSetting, TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { Recommender } from '../../packages/recommender/engine/query/recommender.ts';
import type { ModelReader } from '../../packages/recommender/engine/modelFile/openModel.ts';
import { withModel } from '../../packages/recommender/testing/withModel.ts';
import { periodMs, startMs } from '../data/generateTastes.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { holdOutLatest, type HeldOut } from './holdOut.ts';
import { mean, ndcg, printTable, recall } from './rankings.ts';
import { toTrainingData, type Entity, type Pair } from './readData.ts';
import { describedOptions, describedUsage, readDescribed } from './readDescribed.ts';

const seed = 1;
const cutoff = 20;
/** Least number of interactions of each group of items. */
const groups = [0, 1, 2, 5, 20];
/** The default, and what trainings of this data have chosen at different times. */
const fixedSettings: Record<string, OperatorSetting> = {
  default: defaultSetting,
  'all pairs': { pu: -0.5, pa: -0.5, pb: -0.05, T: 2, b: 0, allPairs: true },
  'all pairs, ridge': { pu: -0.5, pa: -0.5, pb: -0.5, T: 2, b: 0, allPairs: true, ridge: 0.288, lambda: 30, recency: true, transitions: 0.3 },
  'all pairs, ridge, als': { pu: -0.5, pa: -0.5, pb: -0.5, T: 3, b: 0, allPairs: true, ridge: 1.09, lambda: 60, als: 0.441, recency: true, transitions: 0.3 },
};

const usage = `usage: catalogue.ts ${describedUsage}, each with [--part validation|test] [--cut user|period] [--choose]`;
const { values: flags, positionals: [folder] } = parseCommandLine({
  allowPositionals: true,
  options: { ...describedOptions, part: { type: 'string', default: 'validation' }, cut: { type: 'string', default: 'user' }, choose: { type: 'boolean', default: false } },
}, usage);
const { entities, pairs } = readDescribed(flags, folder) ?? stopCommand('No data.', usage);
const described = heldOut(entities);
const settings = flags.choose ? { chosen: chooseSetting(described.data, 'exponents', seed, () => {})?.chosen ?? defaultSetting } : fixedSettings;
if (flags.choose) console.log(`${JSON.stringify(settings.chosen)}\n`);
const rows: string[][] = [];
for (const [name, setting] of Object.entries(settings)) {
  for (const [catalogue, { data, wanted }] of [['items', described], ['none', heldOut([])]] as const) {
    const model = computeNeighbours(data, computeFactors(data, { setting, seed }, () => {}), { setting, seed }, () => {});
    await withModel(model, (reader) => rows.push([name, catalogue, ...measure(reader, interactionsOf(data), wanted)]));
  }
}
printTable(['setting', 'entities', 'recall@20', 'ndcg@20', ...groups.map((least, at) => `entries with ${[least, ...(at < groups.length - 1 ? [(groups[at + 1] ?? 0) - 1] : ['more'])].join(' to ')} interactions, come true`)], rows);

function heldOut(listed: Entity[]): HeldOut {
  if (flags.cut === 'period') return holdOutPeriod(listed);
  const test = holdOutLatest(toTrainingData(listed, pairs));
  return flags.part === 'test' ? test : holdOutLatest(test.data);
}

function holdOutPeriod(listed: Entity[]): HeldOut {
  const tenthOf = ({ time }: Pair): number => Math.floor((10 * (time - startMs)) / periodMs);
  const later = new Map<string, string[]>();
  for (const pair of pairs) if (tenthOf(pair) === 8) later.set(pair.source, [...(later.get(pair.source) ?? []), pair.target]);
  return { data: toTrainingData(listed, pairs.filter((pair) => tenthOf(pair) < 8)), wanted: later };
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
    for (const id of list) {
      const group = found[groups.findLastIndex((least) => (interactions.get(id) ?? 0) >= least)];
      if (group === undefined) continue;
      group.entries += 1;
      if (expected.has(id)) group.true += 1;
    }
  }
  return [mean(recalls).toFixed(4), mean(ndcgs).toFixed(4), ...found.map((group) => (group.entries === 0 ? '0' : `${group.entries}, ${((100 * group.true) / group.entries).toFixed(1)} %`))];
}
