import { Readable } from 'node:stream';
import type { Platform } from '@vouch/platform/product/product';
import { findUpload, listParts, replaceParts } from './uploadStore.ts';

/**
 * Returns the blob with all bytes of an upload. An upload of one part is used in place. Otherwise the parts are joined into one
 * blob, without a copy elsewhere, and the upload refers to this blob from then on: later runs use it in place, and the blobs of
 * the parts are collected.
 * @returns name of the blob
 * @throws Problem `unknown-upload` if the upload was deleted or has expired; `storage-full`
 */
export async function assembleUpload(
  { blobs, database }: Pick<Platform, 'blobs' | 'database'>, organizationId: string, uploadId: string, signal: AbortSignal,
): Promise<string> {
  await findUpload(database, organizationId, uploadId);
  const names = await listParts(database, uploadId);
  const [only] = names;
  if (names.length === 1 && only !== undefined) return only;
  const content = async function* (): AsyncGenerator<Uint8Array> {
    for (const name of names) {
      for await (const chunk of (await blobs.read(name)) as AsyncIterable<Uint8Array>) {
        signal.throwIfAborted();
        yield chunk;
      }
    }
  };
  const blob = await blobs.putStream(Readable.from(content(), { objectMode: false }));
  await database.transaction((transaction) => replaceParts(transaction, uploadId, blob));
  return blob.name;
}
