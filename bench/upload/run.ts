import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave } from '../harness/interleave.ts';
import { measureRss, residentBytes } from '../harness/measureRss.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { formatRatio, reportTable } from '../harness/reportTable.ts';
import { serveVouch, type ServedVouch } from '../harness/serveVouch.ts';
import { connectVouch, expectStatus } from '../harness/vouchClient.ts';
import { generateInteractions } from './generateInteractions.ts';
import { runYardstick } from './readCsvToParquet.ts';

const rowsGoal = 0.5;
const memoryGoalBytes = 400 * 2 ** 20;

async function main(): Promise<void> {
  const usage = 'usage: node --import tsx bench/upload/run.ts <folder for the generated file> [--rows 5000000] [--rounds 5] [--seed 1]';
  const { values, positionals } = parseCommandLine({
    allowPositionals: true,
    options: { rows: { type: 'string', default: '5000000' }, rounds: { type: 'string', default: '5' }, seed: { type: 'string', default: '1' } },
  }, usage);
  const [folder] = positionals;
  if (folder === undefined) stopCommand('The folder is missing.', usage);
  await mkdir(folder, { recursive: true });
  const rows = Number(values.rows);
  const interactions = join(folder, 'interactions.csv');
  generateInteractions(interactions, rows, Number(values.seed));
  const vouch = await serveVouch({ environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'warn' } });
  try {
    await report(vouch, interactions, { rows, rounds: Number(values.rounds), folder, seed: values.seed });
  } finally {
    await vouch.stop();
  }
}

async function report(
  vouch: ServedVouch, path: string, options: { rows: number; rounds: number; folder: string; seed: string },
): Promise<void> {
  const { rows, rounds, folder, seed } = options;
  const client = connectVouch(vouch.url, vouch.key);
  const idleBytes = await residentBytes(vouch.processId);
  let peakBytes = 0;
  const ours = async (): Promise<number> => {
    const started = performance.now();
    const { result, beyondIdleBytes } = await measureRss(
      vouch.processId, () => client.upload([{ name: 'interactions.csv', content: createReadStream(path) }]), { idleBytes },
    );
    const seconds = (performance.now() - started) / 1000;
    expectStatus(result, 201);
    peakBytes = Math.max(peakBytes, beyondIdleBytes);
    return rows / seconds;
  };
  const theirs = async (): Promise<number> => rows / (await runYardstick(path, join(folder, 'yardstick.parquet')));
  const ratio = await interleave({ ours, theirs, rounds, warmup: 1 });
  await rm(join(folder, 'yardstick.parquet'), { force: true });
  const { size } = await stat(path);
  const perSecond = (value: number): string => `${(value / 1e6).toFixed(2)} M rows/s`;
  await reportTable({
    name: 'upload',
    title: 'Upload of interactions',
    command: `node --import tsx bench/upload/run.ts ${folder} --rows ${rows} --rounds ${rounds} --seed ${seed}`,
    data: `generated, ${rows} rows, ${(size / 1e6).toFixed(0)} MB: quoted fields and newlines, empty fields, five kinds of timestamps, metadata in a tenth of the rows`,
    columns: ['what', 'measured', 'goal', 'ours and theirs'],
    rows: [
      ['rows/s, as a ratio', formatRatio(ratio), `>= ${rowsGoal}`, `${perSecond(ratio.ours)} and ${perSecond(ratio.theirs)}`],
      ['peak memory of server and children beyond idle', `${Math.round(peakBytes / 2 ** 20)} MB`, `<= ${memoryGoalBytes / 2 ** 20} MB`, ''],
    ],
    notes: [
      'Ours is a whole request: HTTP, form, every check of every field, Parquet, blob synced to disk, PostgreSQL. ' +
      'Theirs is DuckDB alone in a process of its own, `read_csv` with its own guesses to zstd Parquet of the same row groups, counted from the start of the statement.',
    ],
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
