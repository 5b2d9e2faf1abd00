/**
 * Ways to use time on MovieLens latest-small, with the last 10 % of each user's ratings held out by time and the default exponents:
 * recall@20 and ndcg@20 for the next film, the next session and all held-out films; and how much of the first ten values of a list one
 * film of the history contributes. Also prints which way a training chooses.
 *   node --import tsx bench/recommender/horizons.ts <folder of ml-latest-small>
 */
import { chooseSetting } from '../../packages/recommender/engine/choice/chooseSetting.ts';
import { horizonEnds, timeGrid } from '../../packages/recommender/engine/choice/chooseTime.ts';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import type { WeightedRows } from '../../packages/recommender/engine/data/trainedModel.ts';
import { ItemScores } from '../../packages/recommender/engine/evaluation/itemScores.ts';
import { mixInto } from '../../packages/recommender/engine/evaluation/scoreHistory.ts';
import { listMetrics } from '../../packages/recommender/engine/evaluation/rankUsers.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { followedItems, operatorWeights, transitionWeight } from '../../packages/recommender/engine/time/historyWeights.ts';
import { mean, printTable, topOf } from './rankings.ts';
import { readMovieLens, toTrainingData, type Pair } from './readData.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: horizons.ts <folder of ml-latest-small>');
const { entities, pairs } = readMovieLens(folder);
const kept: Pair[] = [];
const later = new Map<string, Pair[]>();
const byUser = new Map<string, Pair[]>();
for (const pair of pairs) byUser.set(pair.source, [...(byUser.get(pair.source) ?? []), pair]);
for (const [user, own] of byUser) {
  own.sort((a, b) => a.time - b.time);
  const split = own.length - Math.max(1, Math.round(own.length / 10));
  kept.push(...own.slice(0, split));
  later.set(user, own.slice(split));
}
const data = toTrainingData(entities, kept);
const options = { setting: { ...defaultSetting, recency: true, transitions: 0.5 }, seed: 1 };
const model = computeNeighbours(data, computeFactors(data, options, () => {}), options, () => {});
const nodeOf = new Map(data.nodes.ids.map((id, node) => [id, node]));
const users = Int32Array.from(model.userNode.keys());
const heldOut = users.map((user) => later.get(idOf(model.userNode[user] as number))?.length ?? 0);
const ends = horizonEnds(...asHistory(), users);
printTable(
  ['recency, share of transitions', ...['next film', 'next session', 'all held out'].flatMap((horizon) => [`${horizon}: recall@20`, 'ndcg@20']), 'largest share of one film, mean', 'lists mostly owed to one film'],
  timeGrid.map((way) => measure(way)),
);
console.log(`held-out films of a user, mean: next session ${mean([...(ends[1] as Int32Array)]).toFixed(1)}, all ${mean([...heldOut]).toFixed(1)}`);
const { recency, transitions } = chooseSetting(data, 'time', 1, () => {})?.chosen ?? {};
console.log(`a training chooses: recency ${recency}, share of transitions ${transitions}`);

function idOf(node: number): string {
  return data.nodes.ids[node] as string;
}

/** The histories with the held-out films at their ends, and the two parts. */
function asHistory(): [Parameters<typeof horizonEnds>[0], Parameters<typeof horizonEnds>[1], Parameters<typeof horizonEnds>[2]] {
  const whole: number[] = [];
  const pointers = [[0], [0], [0]] as [number[], number[], number[]];
  for (const user of users) {
    const times = model.history.time.subarray(model.history.pointer[user], model.history.pointer[user + 1]);
    const further = (later.get(idOf(model.userNode[user] as number)) ?? []).map(({ time }) => time);
    whole.push(...times, ...further);
    [times.length + further.length, times.length, further.length].forEach((length, at) => pointers[at]?.push((pointers[at].at(-1) as number) + length));
  }
  const rows = (pointer: number[]) => ({ pointer: Float64Array.from(pointer), index: new Int32Array(pointer.at(-1) as number) });
  return [{ ...rows(pointers[0]), time: Float64Array.from(whole) }, rows(pointers[1]), rows(pointers[2])];
}

function measure(way: (typeof timeGrid)[number]): string[] {
  const found = [0, 1, 2].map(() => ({ recall: [] as number[], ndcg: [] as number[] }));
  const shares: number[] = [];
  for (const user of users) {
    const { value, parts } = scoreUser(user, way);
    const list = Int32Array.from(topOf(value, 20));
    const wanted = Int32Array.from(later.get(idOf(model.userNode[user] as number)) ?? [], ({ target }) => model.nodeItem[nodeOf.get(target) ?? -1] ?? -1);
    found.forEach(({ recall, ndcg }, horizon) => {
      const metrics = listMetrics(list, wanted.subarray(0, ends[horizon]?.[user]));
      recall.push(metrics.recall);
      ndcg.push(metrics.ndcg);
    });
    const first = list.subarray(0, 10);
    const sums = parts.map((part) => first.reduce((sum, item) => sum + Math.max(0, part.get(item) ?? 0), 0));
    shares.push(Math.max(...sums) / (sums.reduce((total, sum) => total + sum, 0) || 1));
  }
  const most = mean(shares.map((share) => (share > 0.5 ? 1 : 0)));
  return [`${way.recency}, ${way.transitions}`, ...found.flatMap(({ recall, ndcg }) => [mean(recall).toFixed(4), mean(ndcg).toFixed(4)]), mean(shares).toFixed(2), `${(100 * most).toFixed(0)} %`];
}

/** Values of all films for a user, and the part of each film of the history. */
function scoreUser(user: number, way: (typeof timeGrid)[number]): { value: Float64Array; parts: Map<number, number>[] } {
  const { history, operator, transitions: next, itemNode } = model;
  const items = history.index.subarray(history.pointer[user], history.pointer[user + 1]);
  const weights = operatorWeights(items.length, way.recency);
  const follow = (place: number): number => (items.length - place > followedItems ? 0 : transitionWeight(items.length - 1 - place));
  const [out, after] = [new ItemScores(itemNode.length), new ItemScores(itemNode.length)];
  items.forEach((item, place) => {
    addRow(operator, item, weights[place] as number, out);
    if (way.transitions > 0) addRow(next, item, follow(place), after);
  });
  for (const item of items) for (const scores of [out, after]) scores.value[item] = 0;
  const scales = [(1 - way.transitions) / (out.largest() || 1), way.transitions / (after.largest() || 1)] as const;
  mixInto(out, after, way.transitions);
  const own = new ItemScores(itemNode.length);
  const parts = Array.from(items, (item, place) => {
    own.clear();
    addRow(operator, item, scales[0] * (weights[place] as number), own);
    if (way.transitions > 0) addRow(next, item, scales[1] * follow(place), own);
    return new Map(Array.from(own.item.subarray(0, own.count), (other) => [other, own.value[other] as number]));
  });
  return { value: out.value, parts };
}

function addRow({ pointer, index, value }: WeightedRows, item: number, weight: number, out: ItemScores): void {
  if (weight === 0) return;
  for (let at = pointer[item] as number; at < (pointer[item + 1] as number); at++) out.add(index[at] as number, weight * (value[at] as number));
}

