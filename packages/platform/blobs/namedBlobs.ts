import type { Connection } from '../database/database.ts';
import type { Blobs, BlobStat } from './blobs.ts';

/** Blobs checked per query. Each query reads all names, so with 100,000 names it takes about the same time for 1,000 blobs as for 10,000. */
export const namesAtOnce = 10_000;

/**
 * Returns SQL that selects all blob names in database rows, in one column `name`. A single statement reads one snapshot, so a name that another
 * transaction moves between tables is always found.
 * @param references statements that select one text column each; see `Product.blobReferences`
 */
export function namedBlobs(references: readonly string[]): string {
  const each = references.map((reference) => `SELECT reference.name FROM (${reference}) AS reference (name)`);
  return each.length === 0 ? 'SELECT NULL::text AS name WHERE false' : each.join(' UNION ALL ');
}

/** Returns the name of one blob in the store that no row names, or null if rows name all blobs. */
export async function findUnnamed(
  blobs: Pick<Blobs, 'list'>, connection: Connection, references: readonly string[],
): Promise<string | null> {
  for await (const batch of inBatches(blobs.list(), namesAtOnce)) {
    const { rows } = await connection.query<{ name: string }>(
      `SELECT found.name FROM unnest($1::text[]) AS found (name)
       WHERE NOT EXISTS (SELECT FROM (${namedBlobs(references)}) AS named WHERE named.name = found.name) LIMIT 1`,
      [batch.map(({ name }) => name)]);
    if (rows[0] !== undefined) return rows[0].name;
  }
  return null;
}

/** The number of blobs in a store, their total size in bytes, and how many of them rows name. */
export interface StoreContent {
  blobs: number;
  bytes: number;
  /** Number of stored blobs that rows name. */
  named: number;
}

/** Counts the blobs in the store, their bytes, and how many of them rows name. */
export async function countNamed(
  blobs: Pick<Blobs, 'list'>, connection: Connection, references: readonly string[],
): Promise<StoreContent> {
  const content: StoreContent = { blobs: 0, bytes: 0, named: 0 };
  for await (const batch of inBatches(blobs.list(), namesAtOnce)) {
    const { rows } = await connection.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM unnest($1::text[]) AS found (name)
       WHERE EXISTS (SELECT FROM (${namedBlobs(references)}) AS named WHERE named.name = found.name)`,
      [batch.map(({ name }) => name)]);
    content.blobs += batch.length;
    content.bytes += batch.reduce((sum, { bytes }) => sum + bytes, 0);
    content.named += rows[0]?.count ?? 0;
  }
  return content;
}

/** Groups items of an async iterable into arrays of `size` items; the last array may be smaller. */
export async function* inBatches<Item extends BlobStat>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
