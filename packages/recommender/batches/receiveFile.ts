import type { Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Problem } from '@vouch/platform/errors/problem';

/** An uploaded file in the scratch folder, as uploaded. */
export interface ReceivedFile {
  fileName: string;
  path: string;
  bytes: number;
}

/**
 * Writes a file of the form to the disk as it arrives, so that a slow sender does not block the conversion of other files.
 * @param hash updated with every byte
 * @throws Problem `too-large`; errors of the form and the disk
 */
export async function receiveFile(part: MultipartFile, path: string, hash: Hash, maxBytes: number): Promise<ReceivedFile> {
  const fileName = nameOf(part);
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) return done(fileTooLarge(fileName, `has more than ${maxBytes} bytes; split it, or raise VOUCH_UPLOAD_MAX_BYTES`));
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(part.file, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return { fileName, path, bytes };
}

/**
 * Problem for one file that is too large.
 * @param why predicate of the sentence that begins with the file name
 */
export function fileTooLarge(fileName: string, why: string): Problem {
  const detail = `The file ${fileName} ${why}.`;
  return platformErrors.problem('too-large', `${detail} Nothing was stored.`, { errors: [{ location: `file:${fileName}`, detail }] });
}

/** File name for faults; a part without a name is also treated as a file. */
function nameOf(part: MultipartFile): string {
  const name = (part.filename ?? '').replace(/\p{Cc}/gu, '').slice(0, 200);
  return name === '' ? 'unnamed' : name;
}
