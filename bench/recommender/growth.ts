/**
 * Measures how CPU seconds and peak resident memory of a training grow with the data, by stage, on generated interactions with
 * power laws of users and items. One size per run, because the peak is a property of the process:
 *   node --import tsx bench/recommender/growth.ts <interactions> [--threads 2] [--active] [--timed] [--attributes] [--all-pairs]
 * There are a tenth as many users and items as interactions; popularity follows rank^-0.7, activity rank^-0.5. `--active`: a
 * fiftieth as many users and activity by rank^-0.8, so that at every size about a third of the interactions exceed the cap of
 * histories. `--timed`: each interaction has a time. `--attributes`: each item has a name and five values.
 * The setting is chosen as in a training without parameters; `--all-pairs` replaces the chosen setting with the start of the search for
 * sparse data, whose lists compare all pairs of items.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseSetting } from '../../packages/recommender/engine/choice/chooseSetting.ts';
import { starts } from '../../packages/recommender/engine/choice/settingGrid.ts';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { evaluate } from '../../packages/recommender/engine/evaluation/evaluate.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { closeWorkerPool, openWorkerPool } from '../../packages/recommender/engine/kernels/workerPool.ts';
import { giveBackWorkspace, workspaceOf } from '../../packages/recommender/engine/kernels/workspace.ts';
import { createRandom } from '../../packages/recommender/engine/linear/random.ts';
import { historyCap } from '../../packages/recommender/engine/matrix/interactions.ts';
import { estimateMemory } from '../../packages/recommender/engine/memory/estimateMemory.ts';
import { writeModel } from '../../packages/recommender/engine/writeModel.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { closeListFile, openListFile } from '../../packages/recommender/engine/lists/listFile.ts';
import { collectGarbage } from '../../packages/recommender/models/training/collectGarbage.ts';
import { printTable } from './rankings.ts';
import type { OperatorSetting, TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';

const usage = 'usage: growth.ts <interactions> [--threads 2] [--active] [--timed] [--attributes] [--all-pairs]';
const { values: flags, positionals } = parseCommandLine({
  allowPositionals: true,
  options: { threads: { type: 'string', default: '1' }, active: { type: 'boolean' }, timed: { type: 'boolean' }, attributes: { type: 'boolean' }, 'all-pairs': { type: 'boolean' } },
}, usage);
const [wanted, threads] = [Number(positionals[0]), Number(flags.threads)];
if (!(wanted > 0)) stopCommand('The number of interactions is missing.', usage);

/** Generates distinct pairs: history lengths and item popularity follow powers of the rank. */
function generate(interactions: number): TrainingData {
  const random = createRandom(7);
  const [users, items] = [interactions / (flags.active ? 50 : 10), interactions / 10];
  // With rank^-0.5, the largest history has about 5 sqrt(users) items.
  const weight = Float64Array.from({ length: users }, (_, rank) => (rank + 1) ** (flags.active ? -0.8 : -0.5));
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
  const texts = (text: (node: number) => string): string[] => ids.map((_, node) => (flags.attributes && node < items ? text(node) : ''));
  const names = texts((node) => `The ${node % 4999} of the ${node % 7919}`);
  const metadata = texts((node) =>
    JSON.stringify({ year: 1950 + (node % 70), genres: [`genre-${node % 17}`, `genre-${node % 23}`], maker: `maker-${node % 20_011}`, country: `country-${node % 60}` }),
  );
  const time = Float64Array.from({ length: count }, (_, pair) => (flags.timed ? 1.6e12 + 1000 * pair : Number.NaN));
  return {
    types: ['item'],
    nodes: { count: ids.length, ids, type: Int32Array.from(ids, (_, node) => (flags.attributes && node < items ? 0 : -1)), names, mediaUrls: texts(() => ''), metadata },
    pairs: { count, source: source.slice(0, count), target: target.slice(0, count), time },
  };
}

function shareBeyond({ pairs, nodes }: TrainingData): number {
  const length = new Int32Array(nodes.count);
  for (const user of pairs.source) length[user] = (length[user] as number) + 1;
  return length.reduce((sum, own) => sum + Math.max(0, own - historyCap), 0) / pairs.count;
}

const cpuSeconds = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
const residentMb = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024;
const peakMb = (): number => process.resourceUsage().maxRSS / 1024;

const rows: string[][] = [];
async function stage<Result>(name: string, work: () => Result | Promise<Result>): Promise<Result> {
  collectGarbage();
  const [cpu, wall] = [cpuSeconds(), performance.now()];
  const result = await work();
  const row = [name, (cpuSeconds() - cpu).toFixed(1), ((performance.now() - wall) / 1000).toFixed(1), residentMb().toFixed(0), peakMb().toFixed(0)];
  process.stderr.write(`${row.join(' ')}\n`);
  rows.push(row);
  return result;
}

const folder = mkdtempSync(join(tmpdir(), 'growth-'));
try {
  const data = await stage('data', () => generate(wanted));
  await openWorkerPool(threads);
  const begin = [cpuSeconds(), performance.now()] as const;
  const choice = await stage('choice', () => chooseSetting(data, 'exponents', 1, () => {}));
  const chosen = flags['all-pairs'] ? starts.sparse : (choice?.chosen ?? defaultSetting);
  const setting: OperatorSetting = flags.timed ? { ...chosen, recency: true, transitions: 0.3 } : chosen;
  process.stderr.write(`setting ${JSON.stringify(setting)}\n`);
  const options = { setting, seed: 1 };
  const factors = await stage('factors', () => computeFactors(data, options, () => {}));
  const lists = openListFile(join(folder, 'lists'));
  const model = await stage('lists', () => computeNeighbours(data, factors, options, () => {}, null, lists));
  await stage('model file', () => writeModel(model, join(folder, 'model')));
  closeListFile(lists);
  giveBackWorkspace(workspaceOf(factors.vectors));
  await stage('evaluation', () => evaluate(data, options, () => {}));
  const [cpu, wall] = [cpuSeconds() - begin[0], (performance.now() - begin[1]) / 1000];
  const entries = [model.operator, model.related, model.transitions].reduce((sum, { pointer }) => sum + (pointer.at(-1) ?? 0), 0);
  printTable(['stage', 'CPU s', 'wall s', 'MB at its end', 'peak MB so far'], rows);
  printTable(
    ['interactions', 'items', 'beyond cap', 'threads', 'CPU s', 'wall s', 'peak MB', 'estimated MB', 'list entries'],
    [[
      String(data.pairs.count), String(model.itemNode.length), `${(100 * shareBeyond(data)).toFixed(0)} %`, String(threads), cpu.toFixed(1), wall.toFixed(0),
      peakMb().toFixed(0), (estimateMemory(data, threads) / 2 ** 20).toFixed(0), String(entries),
    ]],
  );
} finally {
  await closeWorkerPool();
  rmSync(folder, { recursive: true });
}
