import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { BlobCache, type BlobCacheOptions } from './blobCache.ts';
import { BlobMissing, isBlobName, type Blobs, type BlobStat, type ByteRange } from './blobs.ts';
import { checkBlobs } from './checkBlobs.ts';
import { plainBlobs } from './plainBlobs.ts';
import { checkSize, measureContent } from './receiveContent.ts';
import { maxCopyBytes, isBehindEnd, S3Store, type S3Options } from './s3Store.ts';
import { asStoreFault } from './storeFault.ts';

/** A removal that has not finished after one minute counts as dead; a removal normally takes milliseconds. */
const removalLifeMs = 60_000;
const removalPollMs = 100;
/** S3 reports times in whole seconds, rounded down. */
const resolutionMs = 1_000;
const maxPutRounds = 16;
const ownerKey = 'owner';

/**
 * Creates a blob store in an S3-compatible bucket. Blobs have keys `blobs/sha256-…` and are put with If-None-Match. S3 has no conditional removal, so
 * a removal of old blobs first writes an announcement under `removing/<name>/`, and a put checks for announcements before it acknowledges: either the
 * removal sees the new time of the put, or the put sees the announcement and stores the content again.
 * @param cache local folder for uploads and for the files of `localPath`
 * @example
 * const blobs = createS3Blobs({ bucket: 'media', region: 'us-east-1' }, { folder: '/data/cache', maxBytes: 10 ** 10 }, systemInterfaces);
 * const { name } = await blobs.putFile('upload.parquet');
 */
export function createS3Blobs(options: S3Options, cache: BlobCacheOptions, system: SystemInterfaces): Blobs {
  return plainBlobs(new S3Blobs(options, cache, system));
}

class S3Blobs implements Blobs {
  readonly kind = 's3';
  readonly place: string;
  readonly #store: S3Store;
  readonly #local: BlobCache;
  readonly #system: SystemInterfaces;

  constructor(options: S3Options, cache: BlobCacheOptions, system: SystemInterfaces) {
    this.#store = new S3Store(options, system.clock);
    this.#local = new BlobCache(cache, system);
    this.#system = system;
    this.place = this.#store.place;
  }

  async putFile(path: string): Promise<BlobStat> {
    return this.#put(path, await measureContent(createReadStream(path)));
  }

  async adoptFile(path: string, blob: BlobStat): Promise<BlobStat> {
    await checkSize(path, blob);
    return this.#put(path, blob);
  }

  putStream(content: Readable): Promise<BlobStat> {
    return this.#local.spool(content, (path, blob) => this.#put(path, blob));
  }

  async read(name: string, range?: ByteRange): Promise<Readable> {
    requireBlobName(name);
    if (range !== undefined && range.end <= range.start) {
      if (await this.#store.head(keyOf(name)) === null) throw new BlobMissing(name);
      return Readable.from([]);
    }
    try {
      const content = await this.#store.read(keyOf(name), range);
      if (content === null) throw new BlobMissing(name);
      return content;
    } catch (error) {
      if (isBehindEnd(error)) return Readable.from([]);
      throw error;
    }
  }

  async stat(name: string): Promise<BlobStat | null> {
    const found = isBlobName(name) ? await this.#store.head(keyOf(name)) : null;
    return found === null ? null : { name, bytes: found.bytes };
  }

  async localPath(name: string): Promise<string> {
    requireBlobName(name);
    // The download can still fail after the store began its answer.
    return this.#local.get(name, () => this.read(name)).catch((error: unknown) => { throw asStoreFault(error); });
  }

  async remove(name: string, storedBefore?: number): Promise<boolean> {
    if (!isBlobName(name)) return false;
    if (storedBefore !== undefined) return this.#removeIfOlder(name, storedBefore);
    if (await this.#store.head(keyOf(name)) === null) return false;
    await this.#store.remove(keyOf(name));
    return true;
  }

  async *list(): AsyncGenerator<BlobStat & { storedAt: number }> {
    for await (const { key, bytes, storedAt } of this.#store.list('blobs/')) {
      const name = key.slice('blobs/'.length);
      if (isBlobName(name)) yield { name, bytes, storedAt };
    }
  }

  async owner(): Promise<string | null> {
    return (await this.#store.readText(ownerKey))?.text ?? null;
  }

  async setOwner(mark: string, seen: string | null): Promise<boolean> {
    const found = await this.#store.readText(ownerKey);
    if ((found?.text ?? null) !== seen) return false;
    await this.#store.replace(ownerKey, mark, found?.tag ?? null);
    const now = await this.owner();
    // Ceph 16 rejects a matching ETag in quotes, although HTTP requires the quotes. If the mark is unchanged, the mark is written without a
    // condition.
    if (seen === null || now !== seen) return now === mark;
    await this.#store.write(ownerKey, mark);
    return await this.owner() === mark;
  }

  check(): Promise<void> {
    return checkBlobs(this, this.#system.random);
  }

  clockDifferenceMs(): number | null {
    return this.#store.clockDifferenceMs;
  }

  async #put(path: string, blob: BlobStat): Promise<BlobStat> {
    const key = keyOf(blob.name);
    for (let round = 0; round < maxPutRounds; round += 1) {
      await this.#storeOrTouch(key, path, blob.bytes);
      await this.#untilNoRemoval(blob.name);
      if (await this.#store.head(key) !== null) return blob;
    }
    throw new Error(`blob ${blob.name} was removed ${maxPutRounds} times while being stored`);
  }

  async #storeOrTouch(key: string, path: string, bytes: number): Promise<void> {
    const store = this.#store;
    // Checks for the object first, so that known content is not uploaded only to be rejected.
    const found = await store.head(key);
    if (found === null && await store.create(key, path, bytes)) return;
    if (bytes > maxCopyBytes || (found !== null && found.bytes !== bytes)) return store.overwrite(key, path, bytes);
    if (!(await store.touch(key))) return;
    // Some stores keep the old time when an object is copied onto itself; then the content is uploaded again.
    if (found !== null && (await store.head(key))?.storedAt === found.storedAt) await store.overwrite(key, path, bytes);
  }

  async #untilNoRemoval(name: string): Promise<void> {
    for (let waitedMs = 0; waitedMs < removalLifeMs; waitedMs += removalPollMs) {
      let removals = 0;
      for await (const { storedAt } of this.#store.list(`removing/${name}/`)) {
        if (this.#system.clock.now() - storedAt < removalLifeMs) removals += 1;
      }
      if (removals === 0) return;
      await this.#system.timers.sleep(removalPollMs);
    }
  }

  async #removeIfOlder(name: string, storedBefore: number): Promise<boolean> {
    const { clock, random } = this.#system;
    const isOld = async (): Promise<boolean> => {
      const found = await this.#store.head(keyOf(name));
      return found !== null && found.storedAt + resolutionMs <= storedBefore;
    };
    if (!(await isOld())) return false;
    const announcement = `removing/${name}/${random.uuid()}`;
    const announcedAt = clock.now();
    await this.#store.write(announcement, 'in progress');
    try {
      // A process that was suspended in between must not remove the blob after its announcement has expired.
      if (!(await isOld()) || clock.now() - announcedAt > removalLifeMs / 2) return false;
      await this.#store.remove(keyOf(name));
      return true;
    } finally {
      await this.#store.remove(announcement);
    }
  }
}

/** @throws BlobMissing if the text does not have the form of a blob's name */
function requireBlobName(name: string): void {
  if (!isBlobName(name)) throw new BlobMissing(JSON.stringify(name.slice(0, 80)));
}

function keyOf(name: string): string {
  return `blobs/${name}`;
}
