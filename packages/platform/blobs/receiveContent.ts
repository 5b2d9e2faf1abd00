import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { platformErrors } from '../errors/platformErrors.ts';
import { isDiskFull } from '../process/diskFull.ts';
import type { BlobStat } from './blobs.ts';

/**
 * Writes content to a new file while hashing it, and syncs the file to the disk. Constant memory.
 * @param path a file that must not exist; removed again where anything fails
 * @param content bytes, e.g. a Readable
 * @returns the content's name and its size
 * @throws Problem `storage-full`; what the content itself throws
 */
export async function receiveContent(path: string, content: AsyncIterable<unknown>): Promise<BlobStat> {
  try {
    return await writeAll(path, content);
  } catch (error) {
    await rm(path, { force: true });
    throw asStorageFull(error);
  }
}

/** Hash and size of content, without keeping it. */
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

/** @throws Error where a file is not as long as it was measured, so that it was cut off or written since */
export async function checkSize(path: string, blob: BlobStat): Promise<void> {
  const { size } = await stat(path);
  if (size !== blob.bytes) throw new Error(`${path} has ${size} bytes instead of the ${blob.bytes} that were measured`);
}

async function writeAll(path: string, content: AsyncIterable<unknown>): Promise<BlobStat> {
  // Read-only for everybody once closed: a blob never changes.
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
  throw new TypeError('blob content must come in bytes or text');
}

/** Turns a full disk into the Problem `storage-full`; any other error is handed back as it is. */
export function asStorageFull(error: unknown): unknown {
  if (!isDiskFull(error)) return error;
  return platformErrors.problem(
    'storage-full',
    'The disk that holds the data has no room left; nothing of this content was kept. Free space, then repeat.',
    { cause: error },
  );
}
