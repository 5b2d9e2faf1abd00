import type { Database } from '../database/database.ts';
import type { Blobs } from './blobs.ts';
import { namedBlobs } from './namedBlobs.ts';

/** Sample size that detects a store other than the one that the other processes use. If 5% of the blobs are missing, two of three runs detect it. */
const sampled = 20;

/**
 * Checks for up to 20 random blobs that rows name whether the store has them.
 * @param references statements that select one text column with blob names each
 * @returns `looked`: number of blobs that were checked; `missing`: names of the checked blobs that the store does not have
 */
export async function sampleNamed(
  { blobs, database }: { blobs: Pick<Blobs, 'stat'>; database: Pick<Database, 'query'> }, references: readonly string[],
): Promise<{ looked: number; missing: string[] }> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT name FROM (SELECT DISTINCT name FROM (${namedBlobs(references)}) AS named) AS named
     WHERE name IS NOT NULL ORDER BY random() LIMIT ${sampled}`);
  const missing: string[] = [];
  for (const { name } of rows) if (await blobs.stat(name) === null) missing.push(name);
  return { looked: rows.length, missing };
}
