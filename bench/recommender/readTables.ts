import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { systemInterfaces } from '../../packages/platform/process/systemInterfaces.ts';
import { Converters } from '../../packages/recommender/batches/parquet/converters.ts';
import { loadTrainingData } from '../../packages/recommender/models/arrays/loadTrainingData.ts';
import type { SnapshotFile } from '../../packages/recommender/models/arrays/trainingSnapshot.ts';
import type { TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';

const manyRows = 1e9;
const manyBytes = 1e11;

/**
 * Reads CSV files of entities and interactions in the same way as the service: scans them, writes Parquet, and reads arrays.
 * @throws Error with the first faults of a file
 */
export async function readTables(paths: readonly string[]): Promise<TrainingData> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-tables-'));
  const converters = new Converters(systemInterfaces.timers);
  try {
    const files: SnapshotFile[] = [];
    for (const [sequence, path] of paths.entries()) files.push(await convert(converters, path, join(folder, String(sequence)), sequence));
    const limits = { memory: '1GB', threads: 2, temporaryFolder: join(folder, 'duckdb') };
    return (await loadTrainingData(files, null, limits, () => {})).data;
  } finally {
    await converters.close();
    await rm(folder, { recursive: true });
  }
}

async function convert(converters: Converters, path: string, folder: string, sequence: number): Promise<SnapshotFile> {
  await mkdir(folder);
  const parquetPath = join(folder, 'parquet');
  const result = await converters.convert({
    owner: 'bench', contentPath: path, contentBytes: (await stat(path)).size, fileName: basename(path), folder, parquetPath,
    maxBytes: manyBytes, maxRows: manyRows, signal: new AbortController().signal,
  });
  if (result.outcome === 'converted') return { path: parquetPath, kind: result.kind, sequence };
  if (result.outcome === 'faults') {
    throw new Error(result.faults.slice(0, 3).map(({ location, row, detail }) => `${location}${row === undefined ? '' : `, row ${row}`}: ${detail}`).join('\n'));
  }
  throw new Error(`${path}: ${result.outcome}`);
}
