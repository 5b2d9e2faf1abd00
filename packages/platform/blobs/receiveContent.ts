import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { platformErrors } from '../errors/platformErrors.ts';
import { isDiskFull } from '../process/diskFull.ts';
import type { BlobStat } from './blobs.ts';

/**
 * Writes content to a new file, hashes the content meanwhile, and syncs the file to the disk. Memory use is constant.
 * @param path a file that must not exist; removed again if anything fails
 * @param content chunks of bytes or text, e.g. a Readable
 * @returns the blob name and the size in bytes
 * @throws Problem `storage-full`, and any error of the content itself
 */
export async function receiveContent(path: string, content: AsyncIterable<unknown>): Promise<BlobStat> {
  try {
    return await writeAll(path, content);
  } catch (error) {
    await rm(path, { force: true });
    throw asStorageFull(error);
  }
}

/** Returns the blob name and the size in bytes of content, without storing the content. */
export async function measureContent(content: AsyncIterable<unknown>): Promise<BlobStat> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of content) {
    const chunk = asBytes(part);
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { name: `sha256-${hash.digest('hex')}`, bytes };
}

/** @throws Error if the file no longer has the measured size, i.e. was truncated or written to since */
export async function checkSize(path: string, blob: BlobStat): Promise<void> {
  const { size } = await stat(path);
  if (size !== blob.bytes) throw new Error(`${path} has ${size} bytes but ${blob.bytes} bytes were measured before`);
}

async function writeAll(path: string, content: AsyncIterable<unknown>): Promise<BlobStat> {
  // Mode 0400, because a blob never changes.
  const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o400);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const part of content) {
      const chunk = asBytes(part);
      hash.update(chunk);
      bytes += chunk.length;
      for (let written = 0; written < chunk.length;) {
        written += (await file.write(chunk, written)).bytesWritten;
      }
    }
    await file.sync();
    return { name: `sha256-${hash.digest('hex')}`, bytes };
  } finally {
    await file.close();
  }
}

function asBytes(part: unknown): Uint8Array {
  if (part instanceof Uint8Array) return part;
  if (typeof part === 'string') return Buffer.from(part);
  throw new TypeError('blob content must be bytes or text');
}

/** Converts an error for a full disk into Problem `storage-full`; returns other errors unchanged. */
export function asStorageFull(error: unknown): unknown {
  if (!isDiskFull(error)) return error;
  return platformErrors.problem(
    'storage-full',
    'The disk of the data folder is full; none of this content was kept. Free space, then repeat the request.',
    { cause: error },
  );
}
