import { join } from 'node:path';
import { createRandom } from '../engine/linear/random.ts';
import { openDuckDb } from '../models/arrays/duckdb.ts';
import { tableColumns, type SnapshotFile } from '../models/arrays/trainingSnapshot.ts';

const users = 300;
const items = 1500;

/**
 * Writes Parquet files as uploads do: typed films, two other types, links from film to film, pairs repeated in two files, one
 * file uploaded twice, missing and too old times, and a film with more neighbours than are kept.
 */
export async function writeSnapshot(folder: string): Promise<SnapshotFile[]> {
  const random = createRandom(3);
  const entities: string[] = [];
  for (let item = 0; item < items; item += 1) {
    const type = item < 1200 ? "'film'" : item < 1350 ? "'person'" : 'NULL';
    if (item < 1450) entities.push(`('i${item}', ${type}, 'name ''${item}''', '{"year": ${1950 + (item % 70)}}', NULL, ${item + 1})`);
  }
  const interactions: string[] = [];
  const add = (source: string, target: string): void => {
    const time = random.uniform() < 0.1 ? 'NULL' : String(random.below(1_000_000));
    interactions.push(`('view', '${source}', '${target}', ${time}, NULL, ${interactions.length + 1})`);
  };
  for (let user = 0; user < users; user += 1) {
    // The first user has more items than the history limit.
    const length = user === 0 ? 700 : 10 + random.below(60);
    for (let entry = 0; entry < length; entry += 1) add(`u${user}`, `i${Math.floor(items * random.uniform() ** 2)}`);
  }
  for (let link = 0; link < 100; link += 1) add(`i${random.below(1200)}`, `i${random.below(1200)}`);
  const half = Math.floor(interactions.length / 2);
  const parts: [SnapshotFile['kind'], string[]][] = [
    ['entity', entities.slice(0, 900)], ['interaction', interactions.slice(0, half + 500)], ['entity', entities.slice(800)],
    ['interaction', interactions.slice(half)],
  ];
  const connection = await openDuckDb({ memory: '500MB', threads: 1, temporaryFolder: join(folder, 'write') });
  const files: SnapshotFile[] = [];
  for (const [at, [kind, rows]] of parts.entries()) {
    const columns = tableColumns[kind].split(', ').map((column) => column.split(' ') as [string, string]);
    const path = join(folder, `sha256-${at}`);
    const selected = columns.map(([name, type]) => `CAST(${name} AS ${type}) AS ${name}`).join(', ');
    await connection.run(`COPY (SELECT ${selected} FROM (VALUES ${rows.join(', ')}) AS rows (${columns.map(([name]) => name).join(', ')}))
      TO '${path}' (FORMAT parquet, COMPRESSION zstd)`);
    files.push({ path, kind, sequence: at + 1 });
  }
  connection.closeSync();
  // A second upload of equal content uses the same blob.
  files.push({ ...(files[1] as SnapshotFile), sequence: 5 });
  return files;
}
