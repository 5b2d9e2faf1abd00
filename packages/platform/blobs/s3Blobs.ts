import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Doors } from '../process/doors.ts';
import { BlobCache, type BlobCacheOptions } from './blobCache.ts';
import { BlobMissing, isBlobName, type Blobs, type BlobStat, type ByteRange } from './blobs.ts';
import { checkBlobs } from './checkBlobs.ts';
import { checkSize, measureContent } from './receiveContent.ts';
import { copyBytesMax, isBehindEnd, S3Store, type S3Options } from './s3Store.ts';
import { asStoreFault } from './storeFault.ts';

/** A removal that did not finish in this time is dead; a live one takes milliseconds. */
const removalLifeMs = 60_000;
const removalPollMs = 100;
/** S3 tells times in whole seconds, rounded down. */
const resolutionMs = 1_000;
const maximumPutRounds = 16;
const ownerKey = 'owner';

/**
 * Blobs in an S3-compatible store: `blobs/sha256-…`, put with If-None-Match. S3 has no conditional removal, so that a
 * removal of old blobs announces itself under `removing/<name>/` first, and a put looks for such announcements before it
 * acknowledges: either the removal sees the put's new time, or the put sees the removal and stores once more.
 * @param cache local folder for spooled uploads and for `localPath`
 */
export function createS3Blobs(options: S3Options, cache: BlobCacheOptions, doors: Doors): Blobs {
  const store = new S3Store(options, doors.clock);
  const local = new BlobCache(cache, doors);

  const put = async (path: string, blob: BlobStat): Promise<BlobStat> => {
    const key = keyOf(blob.name);
    for (let round = 0; round < maximumPutRounds; round += 1) {
      await storeOrTouch(key, path, blob.bytes);
      await untilNoRemoval(blob.name);
      if (await store.head(key) !== null) return blob;
    }
    throw new Error(`blob ${blob.name} was removed ${maximumPutRounds} times while it was stored`);
  };

  const storeOrTouch = async (key: string, path: string, bytes: number): Promise<void> => {
    // Looked for first, so that known content is not uploaded again only to be refused.
    const found = await store.head(key);
    if (found === null && await store.create(key, path, bytes)) return;
    if (bytes > copyBytesMax || (found !== null && found.bytes !== bytes)) return store.overwrite(key, path, bytes);
    if (!(await store.touch(key))) return;
    // Some stores keep the old time at such a copy; then the content is put anew.
    if (found !== null && (await store.head(key))?.storedAt === found.storedAt) await store.overwrite(key, path, bytes);
  };

  const untilNoRemoval = async (name: string): Promise<void> => {
    for (let waitedMs = 0; waitedMs < removalLifeMs; waitedMs += removalPollMs) {
      let removals = 0;
      for await (const { storedAt } of store.list(`removing/${name}/`)) {
        if (doors.clock.now() - storedAt < removalLifeMs) removals += 1;
      }
      if (removals === 0) return;
      await doors.timers.sleep(removalPollMs);
    }
  };

  const removeIfOlder = async (name: string, storedBefore: number): Promise<boolean> => {
    const isOld = async (): Promise<boolean> => {
      const found = await store.head(keyOf(name));
      return found !== null && found.storedAt + resolutionMs <= storedBefore;
    };
    if (!(await isOld())) return false;
    const announcement = `removing/${name}/${doors.random.uuid()}`;
    const announcedAt = doors.clock.now();
    await store.write(announcement, 'in progress');
    try {
      // A process that was stopped in between must not remove after its announcement has expired.
      if (!(await isOld()) || doors.clock.now() - announcedAt > removalLifeMs / 2) return false;
      await store.remove(keyOf(name));
      return true;
    } finally {
      await store.remove(announcement);
    }
  };

  const read = async (name: string, range?: ByteRange): Promise<Readable> => {
    if (!isBlobName(name)) throw new BlobMissing(JSON.stringify(name.slice(0, 80)));
    if (range !== undefined && range.end <= range.start) {
      if (await store.head(keyOf(name)) === null) throw new BlobMissing(name);
      return Readable.from([]);
    }
    try {
      const content = await store.read(keyOf(name), range);
      if (content === null) throw new BlobMissing(name);
      return content;
    } catch (error) {
      if (isBehindEnd(error)) return Readable.from([]);
      throw error;
    }
  };

  const blobs: Blobs = {
    kind: 's3',
    place: store.place,
    putFile: async (path) => put(path, await measureContent(createReadStream(path))),
    adoptFile: async (path, blob) => {
      await checkSize(path, blob);
      return put(path, blob);
    },
    putStream: (content) => local.spool(content, put),
    read,
    stat: async (name) => {
      const found = isBlobName(name) ? await store.head(keyOf(name)) : null;
      return found === null ? null : { name, bytes: found.bytes };
    },
    localPath: async (name) => {
      if (!isBlobName(name)) throw new BlobMissing(JSON.stringify(name.slice(0, 80)));
      // The content may still break off, after the store has begun its answer.
      return local.get(name, () => read(name)).catch((error: unknown) => { throw asStoreFault(error); });
    },
    remove: async (name, storedBefore) => {
      if (!isBlobName(name)) return false;
      if (storedBefore !== undefined) return removeIfOlder(name, storedBefore);
      if (await store.head(keyOf(name)) === null) return false;
      await store.remove(keyOf(name));
      return true;
    },
    list: async function* () {
      for await (const { key, bytes, storedAt } of store.list('blobs/')) {
        const name = key.slice('blobs/'.length);
        if (isBlobName(name)) yield { name, bytes, storedAt };
      }
    },
    owner: async () => (await store.readText(ownerKey))?.text ?? null,
    setOwner: async (mark, seen) => {
      const found = await store.readText(ownerKey);
      if ((found?.text ?? null) !== seen) return false;
      await store.replace(ownerKey, mark, found?.tag ?? null);
      const now = await blobs.owner();
      // Ceph 16 refuses a tag in quotes, as HTTP has it, although it is the object's.
      if (seen === null || now !== seen) return now === mark;
      await store.write(ownerKey, mark);
      return await blobs.owner() === mark;
    },
    check: () => checkBlobs(blobs, doors.random),
    clockDifferenceMs: () => store.clockDifferenceMs,
  };
  return blobs;
}

function keyOf(name: string): string {
  return `blobs/${name}`;
}
