import type { Connection } from '../database/database.ts';
import type { Blobs, BlobStat } from './blobs.ts';

/**
 * Each look for names reads all of them: with 100,000 names it takes as long for 1,000 blobs as for ten times as many.
 */
export const namesAtOnce = 10_000;

/**
 * SQL for all names that rows give to blobs, in a column `name`. One statement, and so one moment: a name that moves from
 * one table to another while it runs is in one of them.
 * @param references each gives one text column; see `Product.blobReferences`
 */
export function namedBlobs(references: readonly string[]): string {
  const each = references.map((reference) => `select reference.name from (${reference}) as reference (name)`);
  return each.length === 0 ? 'select null::text as name where false' : each.join(' union all ');
}

/** Some blob of the store that no row names, null where each is named. */
export async function findUnnamed(
  blobs: Pick<Blobs, 'list'>, connection: Connection, references: readonly string[],
): Promise<string | null> {
  for await (const batch of inBatches(blobs.list(), namesAtOnce)) {
    const { rows } = await connection.query<{ name: string }>(
      `select found.name from unnest($1::text[]) as found (name)
       where not exists (select from (${namedBlobs(references)}) as named where named.name = found.name) limit 1`,
      [batch.map(({ name }) => name)]);
    if (rows[0] !== undefined) return rows[0].name;
  }
  return null;
}

export interface StoreContent {
  blobs: number;
  bytes: number;
  /** How many of them rows name. */
  named: number;
}

/** Counts what the store holds, and what of it rows name. */
export async function countNamed(
  blobs: Pick<Blobs, 'list'>, connection: Connection, references: readonly string[],
): Promise<StoreContent> {
  const content: StoreContent = { blobs: 0, bytes: 0, named: 0 };
  for await (const batch of inBatches(blobs.list(), namesAtOnce)) {
    const { rows } = await connection.query<{ count: number }>(
      `select count(*)::int as count from unnest($1::text[]) as found (name)
       where exists (select from (${namedBlobs(references)}) as named where named.name = found.name)`,
      [batch.map(({ name }) => name)]);
    content.blobs += batch.length;
    content.bytes += batch.reduce((sum, { bytes }) => sum + bytes, 0);
    content.named += rows[0]?.count ?? 0;
  }
  return content;
}

/** Gathers what comes one by one; the last batch may be smaller. */
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
