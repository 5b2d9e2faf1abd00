import { Readable } from 'node:stream';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Platform } from '@vouch/platform/product/product';
import { appendPart, type Upload } from './uploadStore.ts';

/** Size of a stored piece. After a crash, the client repeats at most this much, and each receiving request holds this much memory. */
const pieceBytes = 8 * 1024 * 1024;

/**
 * Stores a body behind the bytes of an upload, piece by piece: each piece is durable before the next one is read. If the sender disconnects, the
 * bytes that arrived are stored as well.
 * @throws Problem `upload-offset`, `too-large`, or `storage-full`
 */
export async function receivePieces(
  { blobs, database }: Pick<Platform, 'blobs' | 'database'>, organizationId: string, upload: Upload, body: Readable,
): Promise<Upload> {
  let current = upload;
  let waiting: Buffer[] = [];
  let bytes = 0;
  const store = async (): Promise<void> => {
    if (bytes === 0) return;
    const { name } = await blobs.putStream(Readable.from(waiting));
    const part = { start: current.received, bytes, blob: name };
    current = await database.transaction((transaction) => appendPart(transaction, organizationId, upload.uploadId, part));
    waiting = [];
    bytes = 0;
  };
  try {
    // Destroying the body would close the connection before the client reads the answer.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (current.received + bytes + chunk.length > upload.length) throw tooLong(upload);
      waiting.push(chunk);
      bytes += chunk.length;
      if (bytes >= pieceBytes) await store();
    }
  } catch (error) {
    // The sender disconnected: the client continues behind the bytes that have arrived.
    if (body.errored !== null && body.errored === error) await store();
    throw error;
  }
  await store();
  return current;
}

function tooLong({ length }: Upload): Error {
  return platformErrors.problem('too-large', `The body exceeds the Upload-Length of ${length} bytes. Send only the bytes that are missing.`);
}
