import type { Database } from '../database/database.ts';
import type { Blobs } from './blobs.ts';
import { namedBlobs } from './namedBlobs.ts';

/** Enough to notice a store that is not the one of the other processes; a blob in twenty that is gone is noticed by two runs in three. */
const sampled = 20;

/**
 * Looks whether blobs that rows name, up to 20 of them at random, are in the store.
 * @param references each gives one text column with the blobs that rows name
 */
export async function sampleNamed(
  { blobs, database }: { blobs: Pick<Blobs, 'stat'>; database: Pick<Database, 'query'> }, references: readonly string[],
): Promise<{ looked: number; missing: string[] }> {
  const { rows } = await database.query<{ name: string }>(
    `select name from (select distinct name from (${namedBlobs(references)}) as named) as named
     where name is not null order by random() limit ${sampled}`);
  const missing: string[] = [];
  for (const { name } of rows) if (await blobs.stat(name) === null) missing.push(name);
  return { looked: rows.length, missing };
}
