import { platformErrors } from '../errors/platformErrors.ts';
import { Problem } from '../errors/problem.ts';
import type { Readable } from 'node:stream';

/** Name and size of a blob. */
export interface BlobStat {
  /** `sha256-<64 hex digits>`: the hash of the content, so equal content is stored once. */
  name: string;
  bytes: number;
}

/** A part of a blob: offsets in bytes, `end` exclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

const namePattern = /^sha256-[0-9a-f]{64}$/;

/** Returns whether a text has the form of a blob's name. Other texts must never become part of a path or an object key. */
export function isBlobName(text: string): boolean {
  return namePattern.test(text);
}

/** A store of immutable, content-addressed objects. There are two implementations: a local folder and S3. */
export interface Blobs {
  /** Kind of the store, shown by `vouch doctor` and in logs. */
  readonly kind: 'folder' | 's3';
  /** Name of the store in messages, e.g. `the folder /data/blobs`. */
  readonly place: string;
  /**
   * Stores a copy of a finished local file; the file itself stays unchanged. The blob is durable when the promise resolves.
   * @throws Problem `storage-full`
   */
  putFile(path: string): Promise<BlobStat>;
  /**
   * Stores a finished local file whose writer has already computed its hash and size, and which nobody writes to again. If the store is a folder on
   * the same file system, the file itself becomes the blob, so the server reads none of its bytes: hashing and copying 160 MB in the server delayed
   * queries by up to 0.12 s. The blob is durable when the promise resolves.
   * @param blob name and size of the content, e.g. from `measureContent` in a child process
   * @throws Error if the file does not have this size
   * @throws Problem `storage-full`
   */
  adoptFile(path: string, blob: BlobStat): Promise<BlobStat>;
  /** Stores a stream. The blob is durable when the promise resolves. If the stream fails, the store keeps nothing of it. */
  putStream(content: Readable): Promise<BlobStat>;
  /** Reads a whole blob, or the bytes of the range that the blob has. @throws BlobMissing */
  read(name: string, range?: ByteRange): Promise<Readable>;
  /** Returns the name and size of a blob, or null if the store does not have the blob. */
  stat(name: string): Promise<BlobStat | null>;
  /**
   * Returns the path of a local file with the content: the blob itself, or a cached copy. The path is valid until the process ends.
   * @throws BlobMissing
   */
  localPath(name: string): Promise<string>;
  /**
   * Removes a blob. A missing blob is not an error.
   * @param storedBefore time in ms: the blob is removed only if its last put was before this time. A blob that a concurrent put of the same content
   *   has acknowledged is never lost
   * @returns whether a blob was removed
   */
  remove(name: string, storedBefore?: number): Promise<boolean>;
  /** Lists all stored blobs, each with the time in ms at which its content was last put. */
  list(): AsyncIterable<BlobStat & { storedAt: number }>;
  /** Returns the mark that names the installation whose blobs the store holds, or null if the store has no mark; see storeOwner.ts. */
  owner(): Promise<string | null>;
  /**
   * Writes the store's mark, if the current mark is still the one that the caller read.
   * @param seen the mark that the caller read; null if the store had none
   * @returns whether the store now has the new mark
   * @throws Problem `storage-full`
   */
  setOwner(mark: string, seen: string | null): Promise<boolean>;
  /** Writes, reads and removes a small object. @throws Error whose message names the failed step and its reason */
  check(): Promise<void>;
  /**
   * Difference in ms between the store's clock and the local clock at the store's last answer, accurate to 1 s; positive if the store's clock is
   * ahead. Null before the first answer. Stores without a clock do not have this function.
   */
  clockDifferenceMs?(): number | null;
}

/**
 * A database row names this blob, but the store of this process does not have it: the blob was deleted, or another process uses a different store.
 */
export class BlobMissing extends Problem {
  constructor(blob: string) {
    super('storage-unavailable', platformErrors.entries['storage-unavailable'],
      `The blob ${blob} is missing in the store of this process. Run \`vouch doctor\` on this machine: the command shows whether other processes use another store.`);
  }
}
