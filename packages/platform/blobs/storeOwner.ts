import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { Blobs } from './blobs.ts';
import { sampleNamed } from './sampleNamed.ts';

/**
 * Whether what lies in the store is this database's to remove. A server that is started on another database, empty as after a mistake in
 * DATABASE_URL or a second installation's, names none of the blobs of the store: to its collection all of them would be garbage.
 * A store without a mark gets this database's where it is empty, or holds a blob that the database names.
 * @param references each gives one text column with the blobs that rows name
 * @param claim whether such a store is marked
 */
export async function isOwnStore(
  { blobs, database }: { blobs: Pick<Blobs, 'list' | 'owner' | 'stat'>; database: Pick<Database, 'query'> }, references: readonly string[], claim: boolean,
): Promise<boolean> {
  const mark = await markOf(database);
  const owner = await blobs.owner();
  if (owner !== null) return owner === mark;
  const { looked, missing } = await sampleNamed({ blobs, database }, references);
  if (looked === missing.length && !(await isEmpty(blobs))) return false;
  return !claim || await blobs.owner(mark) === mark;
}

/** By the secret of links, which backups carry along: a restored installation is the same one. */
async function markOf(database: Pick<Database, 'query'>): Promise<string> {
  const { rows } = await database.query<{ secret: string }>('select secret from link_secret');
  return createHash('sha256').update(`owner of blobs ${rows[0]?.secret ?? ''}`).digest('hex');
}

async function isEmpty(blobs: Pick<Blobs, 'list'>): Promise<boolean> {
  for await (const blob of blobs.list()) return blob.name === '';
  return true;
}
