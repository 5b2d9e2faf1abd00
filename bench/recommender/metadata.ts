/**
 * What metadata add to the lists of users, and what they cost: lists as they are served, of trainings with and without names and metadata, against later
 * interactions. Metadata lead to items without interactions, which no other benchmark of users' lists contains.
 *   node --import ./bench/harness/compiled.mjs bench/recommender/metadata.ts <folder of ml-latest-small> [--part validation|test] [--setting '{"pu":-0.5,…}']
 *   node --import ./bench/harness/compiled.mjs bench/recommender/metadata.ts --interactions ml-100k.inter --items ml-100k.item
 *   node --import ./bench/harness/compiled.mjs bench/recommender/metadata.ts --generated 3|6|20|60 [--seed 41] [--cut user|time]
 * The test part is the latest tenth of each user; the validation part is the tenth before, and the test part is left out. With `--cut time`, everything in the
 * last twentieth of the period is later, so that items launched there have no interactions yet.
 */
import { chooseSetting } from '../../packages/recommender/engine/choice/chooseSetting.ts';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { Recommender } from '../../packages/recommender/engine/query/recommender.ts';
import { train } from '../../packages/recommender/testing/train.ts';
import { withModel } from '../../packages/recommender/testing/withModel.ts';
import { periodMs, startMs } from '../data/generateTastes.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { holdOutLatest, type HeldOut } from './holdOut.ts';
import { mean, ndcg, printTable, recall } from './rankings.ts';
import { toTrainingData, type Entity, type Pair } from './readData.ts';
import { describedOptions, describedUsage, readDescribed } from './readDescribed.ts';
import type { OperatorSetting, TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';

const usage = `usage: metadata.ts ${describedUsage}, each with [--part validation] [--cut user] [--setting <JSON>]`;
const { values: flags, positionals: [folder] } = parseCommandLine({
  allowPositionals: true,
  options: {
    ...describedOptions, part: { type: 'string', default: 'validation' }, cut: { type: 'string', default: 'user' }, setting: { type: 'string' },
  },
}, usage);
const cutoff = 20;
const laterShare = 0.05;
/** Ranges of interactions per item, by their first number. */
const ranges = [0, 1, 2, 5, 20];

const { data, wanted } = heldOut();
const degree = new Map<string, number>();
for (const target of data.pairs.target) degree.set(data.nodes.ids[target] ?? '', (degree.get(data.nodes.ids[target] ?? '') ?? 0) + 1);
const withoutMetadata: TrainingData = { ...data, nodes: { ...data.nodes, names: data.nodes.ids.map(() => ''), metadata: data.nodes.ids.map(() => '') } };
const setting = flags.setting === undefined
  ? chooseSetting(data, 'exponents', 1, () => {})?.chosen ?? defaultSetting
  : { ...defaultSetting, ...(JSON.parse(flags.setting) as Partial<OperatorSetting>) };

console.log(`Setting: ${JSON.stringify(setting)}; ${wanted.size} users; ${data.nodes.ids.filter((id) => isItem(id) && !degree.has(id)).length} items without interactions\n`);
const rows: string[][] = [];
for (const [label, each] of [['with metadata', data], ['without', withoutMetadata]] as const) rows.push([label, ...await measure(each)]);
printTable(['training', 'recall@20', 'ndcg@20', ...ranges.map((from, at) => `entries of items with ${rangeName(from, ranges[at + 1])} interactions: share, come true`)], rows);

function rangeName(from: number, next = Number.POSITIVE_INFINITY): string {
  return next === from + 1 ? String(from) : next === Number.POSITIVE_INFINITY ? `${from} or more` : `${from} to ${next - 1}`;
}

function isItem(id: string): boolean {
  return !id.startsWith('u');
}

function heldOut(): HeldOut {
  const { entities, pairs } = readDescribed(flags, folder) ?? stopCommand('No data.', usage);
  if (flags.cut === 'time') return holdOutPeriod(entities, pairs);
  const test = holdOutLatest(toTrainingData(entities, pairs));
  return flags.part === 'test' ? test : holdOutLatest(test.data);
}

/** Holds out everything in the last part of the period, for users with interactions before. */
function holdOutPeriod(entities: Entity[], pairs: Pair[]): HeldOut {
  const from = startMs + (1 - laterShare) * periodMs;
  const data = toTrainingData(entities, pairs.filter(({ time }) => time < from));
  const known = new Set(Array.from(data.pairs.source, (node) => data.nodes.ids[node] ?? ''));
  const wanted = new Map<string, string[]>();
  for (const { source, target, time } of pairs) if (time >= from && known.has(source)) wanted.set(source, [...(wanted.get(source) ?? []), target]);
  return { data, wanted };
}

async function measure(each: TrainingData): Promise<string[]> {
  const recalls: number[] = [];
  const gains: number[] = [];
  const entries = ranges.map(() => [0, 0]);
  await withModel(train(each, { setting, seed: 1 }, () => {}), (model) => {
    const recommender = new Recommender(model);
    for (const [user, items] of wanted) {
      const later = new Set(items);
      const { count, item } = recommender.recommend(model.findNode(user), { types: null, limit: cutoff, threshold: 0 });
      const list = Array.from(item.subarray(0, count), (at) => model.ids.get(model.itemNode[at] ?? 0));
      recalls.push(recall(list, later));
      gains.push(ndcg(list, later, cutoff));
      for (const id of list) {
        const range = entries[ranges.findLastIndex((from) => (degree.get(id) ?? 0) >= from)] ?? [0, 0];
        range[0] = (range[0] ?? 0) + 1;
        range[1] = (range[1] ?? 0) + (later.has(id) ? 1 : 0);
      }
    }
  });
  const all = entries.reduce((sum, [count = 0]) => sum + count, 0);
  const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);
  return [mean(recalls).toFixed(4), mean(gains).toFixed(4), ...entries.map(([count = 0, hits = 0]) => `${percent(count, all)}, ${percent(hits, count)}`)];
}
