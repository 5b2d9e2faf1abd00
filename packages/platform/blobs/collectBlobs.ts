import type { Database } from '../database/database.ts';
import type { Clock } from '../process/doors.ts';
import type { Blobs } from './blobs.ts';

/** A blob is put before the row that names it is committed; this is the longest that may take. */
const defaultGraceMs = 3_600_000;
const batchSize = 1_000;

/** Name of the election that a collection wins; who wins it instead keeps blobs from being collected meanwhile. */
export const collectionName = 'collect-blobs';

export interface CollectOptions {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  /** Each gives one text column with the blobs that rows name; see `Product.blobReferences`. None may be left out. */
  references: readonly string[];
  /** Blobs put within this time stay; one hour unless told. */
  graceMs?: number;
  signal?: AbortSignal;
}

/**
 * Removes blobs that no row names and that were not put within the grace. Safe beside puts of the same content, since a
 * put renews the blob's time before it acknowledges, and the removal judges that time again.
 * One process at a time; the others return at once with zero.
 * @returns how many blobs and bytes were removed
 */
export async function collectBlobs(options: CollectOptions): Promise<{ blobs: number; bytes: number }> {
  const elected = await options.database.elect(collectionName, (signal) => collect(options, signal));
  return elected ?? { blobs: 0, bytes: 0 };
}

async function collect(options: CollectOptions, elected: AbortSignal): Promise<{ blobs: number; bytes: number }> {
  const { blobs, clock, graceMs = defaultGraceMs, signal } = options;
  const removed = { blobs: 0, bytes: 0 };
  const storedBefore = clock.now() - graceMs;
  const isStopped = (): boolean => elected.aborted || signal?.aborted === true;
  let batch = new Map<string, number>();

  const removeBatch = async (): Promise<void> => {
    const named = await findNamed(options, [...batch.keys()]);
    for (const [name, bytes] of batch) {
      if (isStopped()) return;
      if (named.has(name) || !(await blobs.remove(name, storedBefore))) continue;
      removed.blobs += 1;
      removed.bytes += bytes;
    }
    batch = new Map();
  };

  for await (const { name, bytes, storedAt } of blobs.list()) {
    if (isStopped()) return removed;
    if (storedAt >= storedBefore) continue;
    batch.set(name, bytes);
    if (batch.size >= batchSize) await removeBatch();
  }
  if (batch.size > 0 && !isStopped()) await removeBatch();
  return removed;
}

async function findNamed({ database, references }: CollectOptions, names: readonly string[]): Promise<Set<string>> {
  const named = new Set<string>();
  for (const reference of references) {
    const { rows } = await database.query<{ name: string }>(
      `select reference.name from (${reference}) as reference (name) where reference.name = any($1)`, [names]);
    for (const row of rows) named.add(row.name);
  }
  return named;
}
