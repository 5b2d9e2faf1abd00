import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { Blobs } from './blobs.ts';
import { namedBlobs } from './namedBlobs.ts';

/** Sample size that detects a store other than the one that the other processes use. If 5% of the blobs are missing, two of three runs detect it. */
const sampled = 20;
/** Maximum bytes whose content is checked: one second of a processor, and all of a small installation. */
const maxReadBytes = 512 * 2 ** 20;

/** What `sampleNamed` found; the names of blobs that are missing, and of blobs whose content does not match the hash in their name. */
interface NamedSample {
  looked: number;
  missing: string[];
  /** Number and bytes of the blobs whose content was read. */
  read: number;
  readBytes: number;
  damaged: string[];
}

/**
 * Checks a random sample of at most 20 blobs that database rows name: whether each is in the store, and whether its content is intact. At most 512 MiB are read.
 * @param references statements that select one text column with blob names each
 */
export async function sampleNamed(
  { blobs, database }: { blobs: Pick<Blobs, 'stat' | 'read'>; database: Pick<Database, 'query'> }, references: readonly string[],
): Promise<NamedSample> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT name FROM (SELECT DISTINCT name FROM (${namedBlobs(references)}) AS named) AS named
     WHERE name IS NOT NULL ORDER BY random() LIMIT ${sampled}`);
  const sample: NamedSample = { looked: rows.length, missing: [], read: 0, readBytes: 0, damaged: [] };
  for (const { name } of rows) {
    const found = await blobs.stat(name);
    if (found === null) sample.missing.push(name);
    if (found === null || sample.readBytes + found.bytes > maxReadBytes) continue;
    sample.read += 1;
    sample.readBytes += found.bytes;
    if (!(await isIntact(blobs, name))) sample.damaged.push(name);
  }
  return sample;
}

async function isIntact(blobs: Pick<Blobs, 'read'>, name: string): Promise<boolean> {
  const hash = createHash('sha256');
  for await (const part of await blobs.read(name)) hash.update(part as Uint8Array);
  return `sha256-${hash.digest('hex')}` === name;
}
