import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { isDiskFull } from '@vouch/platform/process/diskFull';
import type { Platform } from '@vouch/platform/product/product';
import { findUpload, listParts } from './uploadStore.ts';

/**
 * Writes the bytes of an upload into one file of a folder.
 * @returns path of the file
 * @throws Problem `unknown-upload` if the upload was deleted or has expired; `storage-full`
 */
export async function copyUpload(
  { blobs, database }: Pick<Platform, 'blobs' | 'database'>, organizationId: string, uploadId: string, folder: string, signal: AbortSignal,
): Promise<string> {
  await findUpload(database, organizationId, uploadId);
  const names = await listParts(database, uploadId);
  const path = join(folder, 'source');
  const content = async function* (): AsyncGenerator<Uint8Array> {
    for (const name of names) yield* (await blobs.read(name)) as AsyncIterable<Uint8Array>;
  };
  try {
    await pipeline(content, createWriteStream(path, { mode: 0o600 }), { signal });
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw platformErrors.problem('storage-full', 'The disk became full while the upload was copied. Free space in the data folder, then start the run again.', { cause: error });
  }
  return path;
}
