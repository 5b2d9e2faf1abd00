/**
 * How training grows: generated interactions with power laws of users and items (a tenth as many of each as interactions, the
 * most active users far beyond the cap), CPU seconds by stage and the peak of the resident memory. One size per run:
 *   node --import tsx bench/recommender/growth.ts <interactions> [threads]
 */
import { readFileSync } from 'node:fs';
import { defaultSetting } from '../../packages/recommender/engine/defaultSetting.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { closeCrew, openCrew } from '../../packages/recommender/engine/kernels/crew.ts';
import { SeededRandom } from '../../packages/recommender/engine/linear/random.ts';
import { historyCap } from '../../packages/recommender/engine/matrix/interactions.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { printTable } from './rankings.ts';
import type { TrainingData } from '../../packages/recommender/engine/trainingData.ts';

const [wanted, threads] = [Number(process.argv[2]), Number(process.argv[3] ?? 1)];
if (!(wanted > 0)) throw new Error('usage: growth.ts <interactions> [threads]');

/** Distinct pairs: lengths of histories and popularity of items fall with a power of the rank. */
function generate(interactions: number): TrainingData {
  const random = new SeededRandom(7);
  const [users, items] = [interactions / 10, interactions / 10];
  // Popularity ~ rank^-0.7, activity ~ rank^-0.5: the largest history has about 5 sqrt(users) items.
  const weight = Float64Array.from({ length: users }, (_, rank) => (rank + 1) ** -0.5);
  const total = weight.reduce((sum, value) => sum + value, 0);
  const source = new Int32Array(Math.ceil(1.1 * interactions) + users);
  const target = new Int32Array(source.length);
  let count = 0;
  for (let user = 0; user < users; user++) {
    const length = Math.max(1, Math.round((interactions * (weight[user] as number)) / total));
    const seen = new Set<number>();
    for (let tries = 0; seen.size < length && tries < 3 * length; tries++) {
      seen.add(Math.min(items - 1, Math.floor(items * random.uniform() ** (1 / 0.3))));
    }
    for (const item of seen) {
      source[count] = items + user;
      target[count++] = item;
    }
  }
  const ids = Array.from({ length: items + users }, (_, node) => `${node < items ? 'item' : 'user'}-${String(node).padStart(9, '0')}`);
  const empty = Array.from(ids, () => '');
  return {
    types: [],
    nodes: { count: ids.length, ids, type: new Int32Array(ids.length).fill(-1), names: empty, mediaUrls: empty, metadata: empty },
    pairs: { count, source: source.slice(0, count), target: target.slice(0, count), time: new Float64Array(count).fill(Number.NaN) },
  };
}

const cpuSeconds = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
const residentMb = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024;

const data = generate(wanted);
await openCrew(threads);
const options = { setting: defaultSetting, seed: 1 };
const before = residentMb();
const start = cpuSeconds();
const wall = performance.now();
const factors = computeFactors(data, options, () => {});
const between = cpuSeconds();
const betweenWall = performance.now();
const afterFactors = process.resourceUsage().maxRSS / 1024;
const model = computeNeighbours(data, factors, options, () => {});
const end = cpuSeconds();
await closeCrew();

const length = new Map<number, number>();
for (const user of data.pairs.source) length.set(user, (length.get(user) ?? 0) + 1);
let beyond = 0;
for (const own of length.values()) if (own > historyCap) beyond += own - historyCap;
printTable(
  ['interactions', 'items', 'beyond cap', 'threads', 'CPU s factors', 'CPU s lists', 'CPU s', 'wall s', 'MB of data', 'MB after factors', 'peak MB', 'list entries'],
  [[
    String(data.pairs.count), String(model.itemNode.length), `${((100 * beyond) / data.pairs.count).toFixed(0)} %`, String(threads),
    (between - start).toFixed(1), (end - between).toFixed(1), (end - start).toFixed(1),
    `${((betweenWall - wall) / 1000).toFixed(0)} + ${((performance.now() - betweenWall) / 1000).toFixed(0)}`, before.toFixed(0),
    afterFactors.toFixed(0), (process.resourceUsage().maxRSS / 1024).toFixed(0), String(model.operator.index.length + model.related.index.length),
  ]],
);
