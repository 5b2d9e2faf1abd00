import { createReadStream } from 'node:fs';
import { chmod, link, mkdir, open, opendir, readFile as readWhole, rename, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Doors } from '../process/doors.ts';
import { BlobMissing, isBlobName, type Blobs, type BlobStat, type ByteRange } from './blobs.ts';
import { checkBlobs } from './checkBlobs.ts';
import { asStorageFull, checkSize, receiveContent } from './receiveContent.ts';

/** Temporary files not written to for this long belong to a dead writer. */
const leftoverAgeMs = 3_600_000;

/** How often a put tries again when a removal of the same content comes between its steps. */
const maximumPutRounds = 16;

/**
 * Blobs in a local folder: `ab/cd/sha256-abcd…`, so that no folder grows past some thousand entries at 10⁸ blobs.
 * A blob is written to `incoming/`, synced, and appears under its name in one step by link().
 * @param root the store's own folder; made where it is missing
 */
export function createFolderBlobs(root: string, doors: Pick<Doors, 'clock' | 'random'>): Blobs {
  const incoming = join(root, 'incoming');
  const removing = join(root, 'removing');
  const ownerPath = join(root, 'owner');
  let prepared: Promise<void> | undefined;

  const pathOf = (name: string): string => {
    if (!isBlobName(name)) throw new BlobMissing(JSON.stringify(name.slice(0, 80)));
    return join(root, name.slice(7, 9), name.slice(9, 11), name);
  };

  const prepare = (): Promise<void> => {
    prepared ??= makeFolders().catch((error: unknown) => {
      prepared = undefined;
      throw asStorageFull(error);
    });
    return prepared;
  };

  const makeFolders = async (): Promise<void> => {
    await mkdir(incoming, { recursive: true, mode: 0o700 });
    await mkdir(removing, { recursive: true, mode: 0o700 });
    await syncPath(root);
    await clearLeftovers();
  };

  const clearLeftovers = async (): Promise<void> => {
    const before = doors.clock.now() - leftoverAgeMs;
    for await (const entry of await opendir(incoming)) {
      const path = join(incoming, entry.name);
      if (((await statOf(path))?.mtimeMs ?? Infinity) < before) await rm(path, { force: true });
    }
    // A removal that died half-way may hold a blob that was put again just then: the blob goes back at once, and the next
    // collection decides anew. A removal that lives finds nothing left to remove.
    for await (const entry of await opendir(removing)) {
      const name = entry.name.slice(0, 71);
      if (isBlobName(name)) await restore(join(removing, entry.name), pathOf(name));
    }
  };

  const put = async (content: AsyncIterable<unknown>): Promise<BlobStat> => {
    await prepare();
    const temporary = join(incoming, doors.random.uuid());
    const blob = await receiveContent(temporary, content);
    try {
      const now = doors.clock.now() / 1000;
      await utimes(temporary, now, now);
      await publish(temporary, blob);
    } catch (error) {
      throw asStorageFull(error);
    } finally {
      await rm(temporary, { force: true });
    }
    return blob;
  };

  const adopt = async (path: string, blob: BlobStat): Promise<BlobStat> => {
    await prepare();
    await checkSize(path, blob);
    try {
      await chmod(path, 0o400);
      await syncPath(path);
      const now = doors.clock.now() / 1000;
      await utimes(path, now, now);
      await publish(path, blob);
    } catch (error) {
      // On another file system: nothing can be linked from there.
      if (codeOf(error) === 'EXDEV') return put(createReadStream(path));
      throw asStorageFull(error);
    }
    return blob;
  };

  const publish = async (temporary: string, blob: BlobStat): Promise<void> => {
    const path = pathOf(blob.name);
    for (let round = 0; round < maximumPutRounds; round += 1) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      if ((await linkIfAbsent(temporary, path)) || (await refresh(path, blob.bytes))) {
        // Also where the blob was there: the writer that linked it may not have synced the folders yet.
        await syncPath(dirname(path));
        await syncPath(dirname(dirname(path)));
        await syncPath(root);
        return;
      }
    }
    throw new Error(`blob ${blob.name} was removed ${maximumPutRounds} times while it was stored`);
  };

  /** Marks present content as just put, so that a collection leaves it; false where it is gone or cut short. */
  const refresh = async (path: string, bytes: number): Promise<boolean> => {
    const now = doors.clock.now() / 1000;
    try {
      if ((await stat(path)).size !== bytes) {
        await unlink(path);
        return false;
      }
      await utimes(path, now, now);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  };

  /** Takes the blob aside in one step first, so that a refresh either came before (seen here) or finds nothing. */
  const removeIfOlder = async (name: string, storedBefore: number): Promise<boolean> => {
    const path = pathOf(name);
    const found = await statOf(path);
    if (found === null || found.mtimeMs >= storedBefore) return false;
    await prepare();
    const aside = join(removing, `${name}-${doors.random.uuid()}`);
    if (!(await renameIfPresent(path, aside))) return false;
    const taken = await statOf(aside);
    if (taken === null) return false;
    if (taken.mtimeMs >= storedBefore) {
      await restore(aside, path);
      return false;
    }
    return unlink(aside).then(() => true, falseIfMissing);
  };

  const blobs: Blobs = {
    kind: 'folder',
    place: `the folder ${root}`,
    putFile: (path) => put(createReadStream(path)),
    adoptFile: adopt,
    putStream: (content) => put(content),
    read: async (name, range) => readFile(name, pathOf(name), range),
    localPath: async (name) => {
      if ((await blobs.stat(name)) === null) throw new BlobMissing(name);
      return pathOf(name);
    },
    stat: async (name) => {
      if (!isBlobName(name)) return null;
      const found = await statOf(pathOf(name));
      return found === null ? null : { name, bytes: found.size };
    },
    remove: async (name, storedBefore) => {
      if (!isBlobName(name)) return false;
      if (storedBefore !== undefined) return removeIfOlder(name, storedBefore);
      return unlink(pathOf(name)).then(() => true, falseIfMissing);
    },
    list: async function* () {
      await prepare();
      await clearLeftovers();
      for await (const path of walk(root, 2)) {
        const found = await statOf(path);
        if (found === null) continue;
        yield { name: basename(path), bytes: found.size, storedAt: found.mtimeMs };
      }
    },
    owner: () => readText(ownerPath),
    setOwner: async (mark, seen) => {
      await prepare();
      const temporary = join(incoming, doors.random.uuid());
      try {
        await writeFile(temporary, mark, { mode: 0o600, flush: true });
        if (seen === null) await linkIfAbsent(temporary, ownerPath);
        // Of two processes that see the same mark in the same millisecond the later one wins; the other learns it below.
        else if (await readText(ownerPath) === seen) await rename(temporary, ownerPath);
        await syncPath(root);
      } catch (error) {
        throw asStorageFull(error);
      } finally {
        await rm(temporary, { force: true });
      }
      return await readText(ownerPath) === mark;
    },
    check: () => checkBlobs(blobs, doors.random),
  };
  return blobs;
}

async function readText(path: string): Promise<string | null> {
  return readWhole(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

async function readFile(name: string, path: string, range?: ByteRange): Promise<Readable> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw isMissing(error) ? new BlobMissing(name) : error;
  });
  if (range === undefined) return file.createReadStream();
  if (range.end <= range.start) {
    await file.close();
    return Readable.from([]);
  }
  return file.createReadStream({ start: range.start, end: range.end - 1 });
}

async function* walk(folder: string, depth: number): AsyncIterable<string> {
  const shards = depth > 0 ? /^[0-9a-f]{2}$/ : /^sha256-/;
  for await (const entry of await opendir(folder)) {
    if (!shards.test(entry.name)) continue;
    const path = join(folder, entry.name);
    if (depth > 0) yield* walk(path, depth - 1);
    else if (isBlobName(entry.name)) yield path;
  }
}

async function restore(aside: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await linkIfAbsent(aside, path).catch(falseIfMissing);
  await syncPath(dirname(path));
  await rm(aside, { force: true });
}

async function linkIfAbsent(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function renameIfPresent(from: string, to: string): Promise<boolean> {
  return rename(from, to).then(() => true, falseIfMissing);
}

async function statOf(path: string): Promise<{ size: number; mtimeMs: number } | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Makes a file's content or a folder's names durable; without the latter a crash can lose a file that was itself synced. */
async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function falseIfMissing(error: unknown): false {
  if (isMissing(error)) return false;
  throw error;
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
