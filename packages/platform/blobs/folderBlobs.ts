import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, opendir, readFile as readWhole, rename, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { syncFolder } from '../process/writeFileAtomically.ts';
import { codeOf, falseIfMissing, isMissing, linkIfAbsent, renameIfPresent, restore, statOf, syncPath } from './blobFiles.ts';
import { BlobMissing, isBlobName, type Blobs, type BlobStat, type ByteRange } from './blobs.ts';
import { checkBlobs } from './checkBlobs.ts';
import { plainBlobs } from './plainBlobs.ts';
import { asStorageFull, checkSize, receiveContent } from './receiveContent.ts';

/** A temporary file that nobody wrote to for one hour belongs to a dead writer. */
const leftoverAgeMs = 3_600_000;

/** Upper bound for the attempts of one put. A put repeats if a removal of the same content runs between its steps. */
const maxPutRounds = 16;

/**
 * Creates a blob store in a local folder. Paths have the form `ab/cd/sha256-abcd…`, so no folder has more than a few thousand entries at 10⁸ blobs. A
 * put writes a blob to `incoming/`, syncs the file, and gives the file its name in one step with link().
 * @param root the store's own folder, created if missing
 * @example
 * const blobs = createFolderBlobs('/data/blobs', systemInterfaces);
 * const { name } = await blobs.putFile('upload.parquet');
 * const content = await blobs.read(name, { start: 0, end: 100 });
 */
export function createFolderBlobs(root: string, system: Pick<SystemInterfaces, 'clock' | 'random'>): Blobs {
  return plainBlobs(new FolderBlobs(root, system));
}

class FolderBlobs implements Blobs {
  readonly kind = 'folder';
  readonly place: string;
  readonly #root: string;
  readonly #system: Pick<SystemInterfaces, 'clock' | 'random'>;
  readonly #incoming: string;
  readonly #removing: string;
  readonly #ownerPath: string;
  #prepared: Promise<void> | undefined;

  constructor(root: string, system: Pick<SystemInterfaces, 'clock' | 'random'>) {
    this.place = `the folder ${root}`;
    this.#root = root;
    this.#system = system;
    this.#incoming = join(root, 'incoming');
    this.#removing = join(root, 'removing');
    this.#ownerPath = join(root, 'owner');
  }

  putFile(path: string): Promise<BlobStat> {
    return this.#put(contentOf(path));
  }

  async adoptFile(path: string, blob: BlobStat): Promise<BlobStat> {
    await this.#prepare();
    await checkSize(path, blob);
    try {
      await chmod(path, 0o400);
      await syncPath(path);
      const now = this.#system.clock.now() / 1000;
      await utimes(path, now, now);
      await this.#publish(path, blob);
    } catch (error) {
      // EXDEV: the file is on another file system, so a hard link is impossible and the content is copied.
      if (codeOf(error) === 'EXDEV') return this.#put(contentOf(path));
      throw asStorageFull(error);
    }
    return blob;
  }

  putStream(content: Readable): Promise<BlobStat> {
    return this.#put(content);
  }

  async read(name: string, range?: ByteRange): Promise<Readable> {
    return readFile(name, this.#pathOf(name), range);
  }

  async localPath(name: string): Promise<string> {
    if ((await this.stat(name)) === null) throw new BlobMissing(name);
    return this.#pathOf(name);
  }

  async stat(name: string): Promise<BlobStat | null> {
    if (!isBlobName(name)) return null;
    const found = await statOf(this.#pathOf(name));
    return found === null ? null : { name, bytes: found.size };
  }

  async remove(name: string, storedBefore?: number): Promise<boolean> {
    if (!isBlobName(name)) return false;
    if (storedBefore !== undefined) return this.#removeIfOlder(name, storedBefore);
    return unlink(this.#pathOf(name)).then(() => true, falseIfMissing);
  }

  async *list(): AsyncGenerator<BlobStat & { storedAt: number }> {
    await this.#prepare();
    await this.#clearLeftovers();
    for await (const path of walk(this.#root, 2)) {
      const found = await statOf(path);
      if (found === null) continue;
      yield { name: basename(path), bytes: found.size, storedAt: found.mtimeMs };
    }
  }

  owner(): Promise<string | null> {
    return readText(this.#ownerPath);
  }

  async setOwner(mark: string, seen: string | null): Promise<boolean> {
    await this.#prepare();
    const temporary = this.#temporary();
    try {
      await writeFile(temporary, mark, { mode: 0o600, flush: true });
      if (seen === null) await linkIfAbsent(temporary, this.#ownerPath);
      // If two processes read the same mark in the same millisecond, the later rename wins. The check at the end of this function tells the earlier
      // process.
      else if (await this.owner() === seen) await rename(temporary, this.#ownerPath);
      await syncPath(this.#root);
    } catch (error) {
      throw asStorageFull(error);
    } finally {
      await rm(temporary, { force: true });
    }
    return await this.owner() === mark;
  }

  check(): Promise<void> {
    return checkBlobs(this, this.#system.random);
  }

  #pathOf(name: string): string {
    if (!isBlobName(name)) throw new BlobMissing(JSON.stringify(name.slice(0, 80)));
    return join(this.#root, name.slice(7, 9), name.slice(9, 11), name);
  }

  #temporary(): string {
    return join(this.#incoming, this.#system.random.uuid());
  }

  #prepare(): Promise<void> {
    this.#prepared ??= this.#makeFolders().catch((error: unknown) => {
      this.#prepared = undefined;
      throw asStorageFull(error);
    });
    return this.#prepared;
  }

  async #makeFolders(): Promise<void> {
    await mkdir(this.#incoming, { recursive: true, mode: 0o700 });
    await mkdir(this.#removing, { recursive: true, mode: 0o700 });
    await syncPath(this.#root);
    // The store's own folder may be new, too.
    await syncFolder(dirname(this.#root));
    await this.#clearLeftovers();
  }

  async #clearLeftovers(): Promise<void> {
    const before = this.#system.clock.now() - leftoverAgeMs;
    for await (const entry of await opendir(this.#incoming)) {
      const path = join(this.#incoming, entry.name);
      if (((await statOf(path))?.mtimeMs ?? Infinity) < before) await rm(path, { force: true });
    }
    // A removal that died halfway may have set aside a blob that was put again at that moment. So each blob in `removing/` gets its name back at
    // once, and the next collection decides again. A removal that is still running then finds no file to remove.
    for await (const entry of await opendir(this.#removing)) {
      const name = entry.name.slice(0, 71);
      if (isBlobName(name)) await restore(join(this.#removing, entry.name), this.#pathOf(name));
    }
  }

  async #put(content: AsyncIterable<unknown>): Promise<BlobStat> {
    await this.#prepare();
    const temporary = this.#temporary();
    const blob = await receiveContent(temporary, content);
    try {
      const now = this.#system.clock.now() / 1000;
      await utimes(temporary, now, now);
      await this.#publish(temporary, blob);
    } catch (error) {
      throw asStorageFull(error);
    } finally {
      await rm(temporary, { force: true });
    }
    return blob;
  }

  async #publish(temporary: string, blob: BlobStat): Promise<void> {
    const path = this.#pathOf(blob.name);
    for (let round = 0; round < maxPutRounds; round += 1) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      if ((await linkIfAbsent(temporary, path)) || (await this.#refresh(path, blob.bytes))) {
        // The folders are synced even if the blob already existed, because the writer that linked the blob may not have synced them yet.
        await syncPath(dirname(path));
        await syncPath(dirname(dirname(path)));
        await syncPath(this.#root);
        return;
      }
    }
    throw new Error(`blob ${blob.name} was removed ${maxPutRounds} times while being stored`);
  }

  /** Sets the time of existing content to now, so that a collection keeps it. Returns false if the blob is missing or truncated. */
  async #refresh(path: string, bytes: number): Promise<boolean> {
    const now = this.#system.clock.now() / 1000;
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
  }

  /**
   * Renames the blob to `removing/` first, in one step. A concurrent `#refresh` then either ran before the rename, so its new time is seen here, or
   * finds no blob and its put stores the content again.
   */
  async #removeIfOlder(name: string, storedBefore: number): Promise<boolean> {
    const path = this.#pathOf(name);
    const found = await statOf(path);
    if (found === null || found.mtimeMs >= storedBefore) return false;
    await this.#prepare();
    const aside = join(this.#removing, `${name}-${this.#system.random.uuid()}`);
    if (!(await renameIfPresent(path, aside))) return false;
    const taken = await statOf(aside);
    if (taken === null) return false;
    if (taken.mtimeMs >= storedBefore) {
      await restore(aside, path);
      return false;
    }
    return unlink(aside).then(() => true, falseIfMissing);
  }
}

/** Returns the content of a file. The file is opened by the reader, because the error of a stream without a reader ends the process. */
async function* contentOf(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
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
