/**
 * Compares quality and CPU time of Vouch and other programs on one split, in one run:
 *   node --import tsx bench/recommender/peers.ts TRAIN TEST --python <python with implicit and scipy> [--settings default,auto] [--write]
 * The programs run one after another, each in a separate process. Ratios are relative to R^T R of scipy in the same run.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { reportTable } from '../harness/reportTable.ts';

interface Figures {
  name: string;
  'recall@20'?: number;
  'ndcg@20'?: number;
  cpu_seconds: number;
  peak_rss_mb?: number;
}

const titles: Readonly<Record<string, string>> = {
  als: 'implicit, ALS, 256 factors, 15 iterations', cosine: 'implicit, item-kNN, cosine, 200 neighbours',
  bm25: 'implicit, item-kNN, BM25, 200 neighbours', popularity: 'popularity', gram: 'scipy `R.T@R`', candidates: 'Vouch, Gram and candidates alone, one thread',
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { python: { type: 'string', default: 'python3' }, settings: { type: 'string', default: 'default' }, write: { type: 'boolean', default: false } },
});
const [train, test] = positionals;
if (train === undefined || test === undefined) throw new Error('usage: peers.ts TRAIN TEST [--python PYTHON] [--settings default,auto] [--write]');

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const lines: Figures[] = [];
for (const setting of values.settings.split(',')) {
  const [figures] = await linesOf(process.execPath, ['--import', 'tsx', pathOf('../command.ts'), 'recommend', '--train', train, '--test', test, '--setting', setting, '--json']);
  lines.push({ ...(figures as Figures), name: `Vouch, ${setting}` });
}
lines.push(...(await linesOf(process.execPath, ['--import', 'tsx', pathOf('./gram.ts'), train])));
lines.push(...(await linesOf(values.python, ['-W', 'ignore', pathOf('./peers.py'), train, test, 'als', 'bm25', 'cosine', 'popularity', 'gram'])));

async function linesOf(program: string, args: readonly string[]): Promise<Figures[]> {
  // One BLAS thread: otherwise the time that BLAS spends waiting for its other threads would count as CPU time.
  const { stdout } = await promisify(execFile)(program, [...args], { env: { ...process.env, OPENBLAS_NUM_THREADS: '1' } });
  return stdout.trim().split('\n').map((line) => JSON.parse(line) as Figures);
}

const unit = lines.find(({ name }) => name === 'gram')?.cpu_seconds ?? Number.NaN;
const rows = lines.map((line) => [
  titles[line.name] ?? line.name,
  line['recall@20']?.toFixed(4) ?? '', line['ndcg@20']?.toFixed(4) ?? '', line.cpu_seconds.toFixed(1), (line.cpu_seconds / unit).toFixed(1),
]);
const columns = ['method', 'recall@20', 'ndcg@20', 'CPU s of the training', 'as a ratio to `R.T@R`'];
if (values.write) {
  await reportTable({
    name: 'recommend-peers', title: 'Recommendations beside other programs',
    command: `node --import tsx bench/recommender/peers.ts <data>/gowalla/train.txt <data>/gowalla/test.txt --settings ${values.settings}`,
    data: 'Gowalla in the split of LightGCN: 29,858 users, 40,981 items, 810,128 interactions to train on, full ranking of unseen items',
    columns, rows,
  });
} else for (const row of [columns, ...rows]) console.log(row.join(' | '));
