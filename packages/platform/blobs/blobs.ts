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

/** Immutable, content-addressed objects. Two implementations: a local folder and S3. */
export interface Blobs {
  /** `folder` or `s3`, for doctor and logs. */
  readonly kind: 'folder' | 's3';
  /** Stores a finished local file. Durable when it resolves. The file itself is left alone. */
  putFile(path: string): Promise<BlobStat>;
  /** Stores a stream. Durable when it resolves; nothing is kept where the stream fails. */
  putStream(content: Readable): Promise<BlobStat>;
  /** Reads a blob or a part of it. @throws BlobMissing */
  read(name: string, range?: ByteRange): Promise<Readable>;
  /** Size of a blob, null where there is none. */
  stat(name: string): Promise<BlobStat | null>;
  /** A local file with the content: the blob itself, or a cached copy. Valid until the process ends. @throws BlobMissing */
  localPath(name: string): Promise<string>;
  remove(name: string): Promise<void>;
  /** Every stored blob with the time of its storing in ms. */
  list(): AsyncIterable<BlobStat & { storedAt: number }>;
  /** Writes, reads and removes a small object; the message of what it throws says what to mend. */
  check(): Promise<void>;
}

export class BlobMissing extends Error {
  override readonly name = 'BlobMissing';
  constructor(blob: string) {
    super(`blob ${blob} is not in the store`);
  }
}
