/**
 * Compares quality and CPU time of Vouch and other recommenders on one split, in one run:
 *   node --import tsx bench/recommender/peers.ts --train FILE --test FILE --python <python with implicit and scipy>
 *   node --import tsx bench/recommender/peers.ts --interactions FILE.csv …
 *   node --import tsx bench/recommender/peers.ts --movielens <folder of ml-latest-small> …
 *   node --import tsx bench/recommender/peers.ts --generated 3|6|20|60 [--seed 1] …
 * Options: `--settings auto,default`, `--peers als,ease,rp3beta,knn,popularity,gram`. Each recommender is tuned (peers.py) on the
 * interactions that a training of Vouch holds out of the training file for the choice of its setting. The recommenders run one after another, each in
 * a separate process, and rank the test part once. With times, Vouch runs with and without them; the others do not use times.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { machineLine } from '../harness/reportTable.ts';
import { loadPeerData, writeSplits } from './peerData.ts';
import { printTable } from './rankings.ts';

interface Figures {
  name: string;
  title?: string;
  setting?: Record<string, unknown>;
  tried?: number;
  'recall@20'?: number;
  'ndcg@20'?: number;
  cpu_seconds?: number;
  tuning_cpu_seconds?: number;
  /** Part of cpu_seconds; of Vouch only. */
  choice_cpu_seconds?: number;
}

const usage = 'usage: peers.ts (--train FILE --test FILE | --interactions FILE.csv | --movielens FOLDER | --generated 3|6|20|60 [--seed 1]) [--python PYTHON] [--settings auto,default] [--peers als,…]';
const vouchTitles: Readonly<Record<string, string>> = { auto: 'Vouch, as shipped', default: 'Vouch, fixed exponents' };

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

async function figuresOf(program: string, args: readonly string[]): Promise<Figures> {
  // One thread, as Vouch has here: otherwise the time that threads spend waiting for each other would count as CPU time.
  const run = promisify(execFile)(program, [...args], { env: { ...process.env, OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1' }, maxBuffer: 2 ** 26 });
  run.child.stderr?.pipe(process.stderr);
  return JSON.parse((await run).stdout) as Figures;
}

async function runVouch(setting: string, source: readonly string[], title: string): Promise<Figures> {
  const figures = await figuresOf(process.execPath, ['--import', 'tsx', pathOf('../command.ts'), 'recommend', ...source, '--setting', setting, '--json']);
  const { cpu_seconds: all = 0, choice_cpu_seconds: choice = 0 } = figures;
  return { ...figures, name: `vouch-${setting}`, title, cpu_seconds: all - choice, tuning_cpu_seconds: choice };
}

function rowOf({ title, name, setting, tried, cpu_seconds: training, tuning_cpu_seconds: tuning, ...quality }: Figures): string[] {
  const chosen = Object.entries(setting ?? {}).filter(([key]) => key !== 'name').map(([key, value]) => `${key} ${String(value)}`).join(', ');
  return [
    title ?? name, quality['recall@20']?.toFixed(4) ?? '', quality['ndcg@20']?.toFixed(4) ?? '', training?.toFixed(1) ?? '',
    tuning === undefined || tried === 0 ? '' : tuning.toFixed(1), tried === undefined || tried === 0 ? '' : String(tried), chosen,
  ];
}

const report = (figures: Figures): void => console.log(`| ${rowOf(figures).join(' | ')} |`);
const listed = (names: string): string[] => names.split(',').filter((name) => name !== '');

async function main(): Promise<void> {
  const { values } = parseCommandLine({
    options: {
      train: { type: 'string' }, test: { type: 'string' }, interactions: { type: 'string' }, movielens: { type: 'string' }, generated: { type: 'string' }, seed: { type: 'string', default: '1' },
      python: { type: 'string', default: 'python3' }, settings: { type: 'string', default: 'auto' },
      peers: { type: 'string', default: 'als,ease,rp3beta,knn,popularity,gram' },
    },
  }, usage);
  const { train, test, interactions, movielens, generated } = values;
  const split = train === undefined || test === undefined ? undefined : { train, test };
  if ([split, interactions, movielens, generated].filter((source) => source !== undefined).length !== 1) stopCommand('One source of data is required.', usage);
  const folder = mkdtempSync(join(tmpdir(), 'bench-peers-'));
  try {
    const source = { split, interactions, movielens, generated: generated === undefined ? undefined : { perUser: generated, seed: Number(values.seed) } };
    const { heldOut, csv } = await loadPeerData(source, folder);
    writeSplits(heldOut, folder);
    const { pairs, nodes } = heldOut.data;
    console.log(`${pairs.count} interactions to train on, ${new Set(pairs.source).size} users, ${new Set(pairs.target).size} items, ${nodes.count} ids; ${machineLine()}\n`);
    const files = ['--train', join(folder, 'train.txt'), '--test', join(folder, 'test.txt')];
    printTable(['recommender', 'recall@20', 'ndcg@20', 'CPU s, training', 'CPU s, tuning', 'settings tried', 'setting'], []);
    for (const setting of listed(values.settings)) {
      const title = vouchTitles[setting] ?? `Vouch, ${setting}`;
      if (csv !== null) report(await runVouch(setting, ['--interactions', csv, '--holdout', 'time'], `${title}, with times`));
      report(await runVouch(setting, files, csv === null ? title : `${title}, without times`));
    }
    for (const peer of listed(values.peers)) report(await figuresOf(values.python, ['-W', 'ignore', pathOf('./peers.py'), folder, peer]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
