import type { Readable } from 'node:stream';

/**
 * Reads the body of an answer completely, then frees its connection.
 * @param tooLong makes the error for a body of more than `maxBytes` bytes, so that an endless body does not fill the memory
 * @throws the error of `tooLong`; OutboundFailed if the answer is truncated
 * @example
 * const text = (await collectBody(answer.body, 65_536, () => new Error('the answer is longer than 64 KB'))).toString('utf8');
 */
export async function collectBody(body: Readable, maxBytes: number, tooLong: () => Error): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of body) {
      bytes += (part as Buffer).length;
      if (bytes > maxBytes) throw tooLong();
      parts.push(part as Buffer);
    }
  } finally {
    body.destroy();
  }
  return Buffer.concat(parts);
}
