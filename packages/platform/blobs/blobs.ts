import { platformErrors } from '../errors/platformErrors.ts';
import { Problem } from '../errors/problem.ts';
import type { Readable } from 'node:stream';

export interface BlobStat {
  /** `sha256-<64 hex digits>`: the content's own hash, so equal content is stored once. */
  name: string;
  bytes: number;
}

/** A part of a blob, in bytes; `end` is exclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

const namePattern = /^sha256-[0-9a-f]{64}$/;

/** Whether a text has the form of a blob's name; anything else never reaches a path or an object key. */
export function isBlobName(text: string): boolean {
  return namePattern.test(text);
}

/** Immutable, content-addressed objects. Two implementations: a local folder and S3. */
export interface Blobs {
  /** `folder` or `s3`, for doctor and logs. */
  readonly kind: 'folder' | 's3';
  /** What sentences call the store, e.g. `the folder /data/blobs`. */
  readonly place: string;
  /** Stores a finished local file. @throws Problem `storage-full`. Durable when it resolves. The file itself is left alone. */
  putFile(path: string): Promise<BlobStat>;
  /**
   * Stores a finished local file that its writer has measured and nobody will write again. Where the store is a folder
   * of the same file system the file itself becomes the blob, so that no byte of it is read here: hashing and copying
   * 160 MB kept a server's queries waiting up to 0.12 s.
   * @param blob name and size of the content, e.g. of `measureContent` in a child process
   * @throws Error where the size is another one; Problem `storage-full`. Durable when it resolves.
   */
  adoptFile(path: string, blob: BlobStat): Promise<BlobStat>;
  /** Stores a stream. Durable when it resolves; nothing is kept where the stream fails. */
  putStream(content: Readable): Promise<BlobStat>;
  /** Reads a blob or the part of the range that it has. @throws BlobMissing */
  read(name: string, range?: ByteRange): Promise<Readable>;
  /** Size of a blob, null where there is none. */
  stat(name: string): Promise<BlobStat | null>;
  /** A local file with the content: the blob itself, or a cached copy. Valid until the process ends. @throws BlobMissing */
  localPath(name: string): Promise<string>;
  /**
   * Removes a blob; one that is not there is no error.
   * @param storedBefore removes only where the blob was stored or put again before this time in ms; never loses a
   *   blob that a concurrent put of the same content has just acknowledged
   * @returns whether a blob was removed
   */
  remove(name: string, storedBefore?: number): Promise<boolean>;
  /** Every stored blob with the time in ms at which its content was put last. */
  list(): AsyncIterable<BlobStat & { storedAt: number }>;
  /** The mark that says whose blobs the store holds, null where it has none; see storeOwner.ts. */
  owner(): Promise<string | null>;
  /**
   * Marks the store, where its mark is still the one that the caller has seen.
   * @param seen null where the store had none
   * @returns whether the store has the mark now. @throws Problem `storage-full`
   */
  setOwner(mark: string, seen: string | null): Promise<boolean>;
  /** Writes, reads and removes a small object; the message of what it throws says what to mend. */
  check(): Promise<void>;
  /** How far the store's clock was ahead of ours at its last answer, to the second; null before one, absent where the store has no clock. */
  clockDifferenceMs?(): number | null;
}

/** A blob that a row names and this process does not find: it was deleted, or another process keeps its blobs elsewhere. */
export class BlobMissing extends Problem {
  constructor(blob: string) {
    super('storage-unavailable', platformErrors.entries['storage-unavailable'],
      `The blob ${blob} is not in the store of this process. Run \`vouch doctor\` on its machine: it says whether the others keep theirs elsewhere.`);
  }
}
