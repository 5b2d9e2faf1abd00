/**
 * Measures the gain from the WebAssembly kernels on Gowalla's training set: factors against the plain TypeScript twin in
 * alternating runs, and the whole training with one and two threads. All times are relative to `R.T @ R` of scipy on the same
 * data.
 *   node --import tsx bench/recommender/kernels.ts <folder with train.txt> [--python <python with scipy>]
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { numberItems } from '../../packages/recommender/engine/catalogue/numberItems.ts';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { evaluate } from '../../packages/recommender/engine/evaluation/evaluate.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { factorise } from '../../packages/recommender/engine/factors/factorise.ts';
import { closeWorkerPool, openWorkerPool } from '../../packages/recommender/engine/kernels/workerPool.ts';
import { buildHistory } from '../../packages/recommender/engine/matrix/buildHistory.ts';
import { toInteractions } from '../../packages/recommender/engine/matrix/interactions.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { printTable } from './rankings.ts';
import { readUserItems, toPairs } from './readUserItems.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: kernels.ts <folder with train.txt> [--python <python with scipy>]');
const python = process.argv[3] === '--python' ? process.argv[4] : undefined;
const file = join(folder, 'train.txt');
const data = toPairs(await readUserItems(file));
const options = { setting: defaultSetting, seed: 1 };

interface Cost {
  cpu: number;
  wall: number;
}

function measure(work: () => void): Cost {
  const before = process.cpuUsage();
  const start = performance.now();
  work();
  const used = process.cpuUsage(before);
  return { cpu: (used.user + used.system) / 1e6, wall: (performance.now() - start) / 1000 };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const medianOf = (costs: readonly Cost[]): Cost => ({ cpu: median(costs.map(({ cpu }) => cpu)), wall: median(costs.map(({ wall }) => wall)) });

/** Measures the CPU seconds of scipy's product. Each product runs first in a new process, as a training does. */
function scipySeconds(): number[] {
  const program = `
import sys, time, numpy, scipy.sparse
users, items = [], []
for user, line in enumerate(open(sys.argv[1])):
    own = set(line.split()[1:])
    users += [user] * len(own)
    items += map(int, own)
r = scipy.sparse.csr_matrix((numpy.ones(len(users)), (users, items)))
before = time.process_time()
r.T @ r
print(time.process_time() - before)`;
  return python === undefined ? [] : [0, 1, 2, 3, 4].map(() => Number(execFileSync(python, ['-c', program, file], { encoding: 'utf8' })));
}

const catalogue = numberItems(data);
const history = buildHistory(data, catalogue);
const items = catalogue.itemNode.length;
const factors: Record<'plain' | 'kernels', Cost[]> = { plain: [], kernels: [] };
for (let turn = 0; turn < 2; turn++) {
  factors.plain.push(measure(() => factorise(toInteractions(history, items, null), options.setting.pu, options.seed, () => {})));
  factors.kernels.push(measure(() => factorise(toInteractions(history, items), options.setting.pu, options.seed, () => {})));
}
const hashes = new Set<string>();
const training: Record<1 | 2, Cost[]> = { 1: [], 2: [] };
for (const threads of [1, 2, 1, 2] as const) {
  await openWorkerPool(threads);
  training[threads].push(measure(() => {
    const { operator, related } = computeNeighbours(data, computeFactors(data, options, () => {}), options, () => {});
    const hash = createHash('sha256');
    for (const list of [operator, related]) for (const array of [list.index, list.value, list.score]) hash.update(Buffer.from(array.slice().buffer));
    hashes.add(hash.digest('hex'));
  }));
}
await closeWorkerPool();
const evaluation = measure(() => evaluate(data, options, () => {}));
const reference = scipySeconds();
const unit = median(reference);

const rows: [string, Cost][] = [
  ['factors, plain twin', medianOf(factors.plain)],
  ['factors, kernels', medianOf(factors.kernels)],
  ['factors and lists, one thread', medianOf(training[1])],
  ['factors and lists, two threads', medianOf(training[2])],
  ['evaluation: both again without a tenth, ranking', evaluation],
];
printTable(
  ['work', 'CPU s', 'wall s', 'CPU / R.T@R'],
  rows.map(([name, { cpu, wall }]) => [name, cpu.toFixed(1), wall.toFixed(1), reference.length === 0 ? '-' : (cpu / unit).toFixed(1)]),
);
process.stdout.write(`R.T@R in CPU s: ${reference.map((seconds) => seconds.toFixed(2)).join(', ')}; lists of one and two threads: ${hashes.size === 1 ? 'the same bytes' : 'NOT THE SAME'}\n`);
