import type { Database } from '../database/database.ts';
import type { Logger } from '../log/logger.ts';
import type { Clock } from '../process/systemInterfaces.ts';
import type { BlobStat } from './blobs.ts';
import { inBatches, namedBlobs, namesAtOnce } from './namedBlobs.ts';
import { collectionName, settleOwner, type Store, type StoreOwner } from './storeOwner.ts';

/** Default grace period: one hour. A blob is stored before the row that names it is committed; this is the longest time allowed between the two. */
const defaultGraceMs = 3_600_000;
const defaultRestMs = 24 * 3_600_000;
/** Blobs removed per query for names. On S3, a batch of 100 takes a few seconds, and its last removals rely on names read at its start. */
const removedAtOnce = 100;
const namesPerLine = 100;

export interface CollectOptions extends Store {
  clock: Clock;
  log: Logger;
  /** Blobs put within this time in ms are not marked. Default: one hour. */
  graceMs?: number;
  /** Time in ms between marking and removing a blob. Default: one day. */
  restMs?: number;
  signal?: AbortSignal;
}

/** A number of blobs and their total size in bytes. */
export interface Amount {
  blobs: number;
  bytes: number;
}

/** The result of one collection. */
export interface Collection {
  /** Blobs are marked and removed only if the owner is `this`. */
  owner: StoreOwner;
  marked: Amount;
  removed: Amount;
}

/**
 * Removes blobs that no row names, in two steps. First a blob gets a tombstone, which is a row of this database. One day later, the blob is removed
 * if no row names it and no put has renewed its time. Each run removes before it marks, because new tombstones need the disk space that removals
 * free. Safe while other processes put the same content: a put renews the blob's time before it acknowledges, and the removal checks this time again.
 * A row can get a blob's name without a put only from a row that already had the name, and no row had the name of a blob that was unnamed for a day.
 * Runs only in a store that belongs to this database.
 * @returns null if another process of this database is collecting or backing up
 */
export async function collectBlobs(options: CollectOptions): Promise<Collection | null> {
  return options.database.elect(collectionName, (elected) => collect(options, elected));
}

/** Counts the blobs that have a tombstone, and their bytes. */
export async function countTombstones(database: Pick<Database, 'query'>): Promise<Amount> {
  const { rows } = await database.query<{ blobs: number; bytes: string }>(
    'SELECT count(*)::int AS blobs, coalesce(sum(bytes), 0) AS bytes FROM blob_tombstones');
  return { blobs: rows[0]?.blobs ?? 0, bytes: Number(rows[0]?.bytes ?? 0) };
}

async function collect(options: CollectOptions, elected: AbortSignal): Promise<Collection> {
  const { owner, mark } = await settleOwner(options);
  const done: Collection = { owner, marked: { blobs: 0, bytes: 0 }, removed: { blobs: 0, bytes: 0 } };
  if (owner.owner !== 'this') return done;
  const mayGoOn = async (): Promise<boolean> =>
    !elected.aborted && options.signal?.aborted !== true && await options.blobs.owner() === mark;
  await forgetNamed(options);
  while (await mayGoOn()) if (!(await removeBatch(options, done.removed))) break;
  for await (const batch of inBatches(oldBlobs(options), namesAtOnce)) {
    if (!(await mayGoOn())) return done;
    await markBatch(options, batch, done.marked);
  }
  return done;
}

async function forgetNamed({ database, references, log }: CollectOptions): Promise<void> {
  const { rows } = await database.query<NamedBytes>(
    `DELETE FROM blob_tombstones USING (${namedBlobs(references)}) AS named WHERE named.name = blob_tombstones.name
     RETURNING blob_tombstones.name, bytes`);
  report(log, rows.map(asBlob), 'blobs marked for removal are referenced again and remain');
}

/**
 * Handles one batch of blobs that were marked at least `restMs` ago: removes each blob, or only its tombstone if the blob was put again after it was
 * marked. Returns false if no such blob is left.
 */
async function removeBatch(options: CollectOptions, removed: Amount): Promise<boolean> {
  const { blobs, database, clock, references, restMs = defaultRestMs } = options;
  const { rows } = await database.query<NamedBytes & { marked_at: Date }>(
    `SELECT name, bytes, marked_at FROM blob_tombstones
     WHERE marked_at <= $1 AND NOT EXISTS (SELECT FROM (${namedBlobs(references)}) AS named WHERE named.name = blob_tombstones.name)
     ORDER BY marked_at LIMIT ${removedAtOnce}`, [new Date(clock.now() - restMs)]);
  const judged: string[] = [];
  const gone: BlobStat[] = [];
  try {
    for (const row of rows) {
      if (options.signal?.aborted === true) break;
      if (await blobs.remove(row.name, row.marked_at.getTime())) gone.push(asBlob(row));
      judged.push(row.name);
    }
  } finally {
    add(removed, gone);
    report(options.log, gone, 'blobs without a reference for a day were removed');
  }
  await database.query('DELETE FROM blob_tombstones WHERE name = ANY($1)', [judged]);
  return rows.length > 0;
}

async function* oldBlobs({ blobs, clock, graceMs = defaultGraceMs }: CollectOptions): AsyncGenerator<BlobStat> {
  const storedBefore = clock.now() - graceMs;
  for await (const blob of blobs.list()) if (blob.storedAt < storedBefore) yield blob;
}

async function markBatch({ database, clock, references, log }: CollectOptions, batch: readonly BlobStat[], marked: Amount): Promise<void> {
  const { rows } = await database.query<NamedBytes>(
    `INSERT INTO blob_tombstones (name, bytes, marked_at)
     SELECT found.name, found.bytes, $3 FROM unnest($1::text[], $2::bigint[]) AS found (name, bytes)
     WHERE NOT EXISTS (SELECT FROM (${namedBlobs(references)}) AS named WHERE named.name = found.name)
     ON CONFLICT DO NOTHING RETURNING name, bytes`,
    [batch.map(({ name }) => name), batch.map(({ bytes }) => bytes), new Date(clock.now())]);
  const unnamed = rows.map(asBlob);
  add(marked, unnamed);
  report(log, unnamed, 'unreferenced blobs were marked for removal in a day');
}

interface NamedBytes {
  name: string;
  bytes: string;
}

function asBlob({ name, bytes }: NamedBytes): BlobStat {
  return { name, bytes: Number(bytes) };
}

function add(sum: Amount, blobs: readonly BlobStat[]): void {
  sum.blobs += blobs.length;
  sum.bytes += bytesOf(blobs);
}

function bytesOf(blobs: readonly BlobStat[]): number {
  return blobs.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Logs one line per 100 blobs, so that the log contains the name of each blob. */
function report(log: Logger, blobs: readonly BlobStat[], text: string): void {
  for (let from = 0; from < blobs.length; from += namesPerLine) {
    const some = blobs.slice(from, from + namesPerLine);
    log.info({ blobs: some.length, bytes: bytesOf(some), names: some.map(({ name }) => name) }, text);
  }
}
