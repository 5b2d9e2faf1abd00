import { link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { takeLock, tryLock, type FileLock } from '../process/fileLock.ts';
import type { BlobStat } from './blobs.ts';
import { receiveContent } from './receiveContent.ts';

/** The folder and the size of a cache of remote blobs. */
export interface BlobCacheOptions {
  /** Several processes of one machine can share this folder. */
  folder: string;
  /**
   * Upper bound for `kept/` in bytes. Beyond it, the least recently used files are removed from `kept/`; a process keeps the files that it already
   * uses until it ends.
   */
  maxBytes: number;
}

/** Age in ms from which a file in `incoming/` counts as left behind by a dead process: one hour. */
const leftoverAgeMs = 3_600_000;

/**
 * Local copies of remote blobs. `kept/` holds the copies that all processes share. Each process also has its own folder below `used/` with hard links
 * to the copies that it received, so an eviction from `kept/` never removes a file that a process uses.
 */
export class BlobCache {
  readonly #options: BlobCacheOptions;
  readonly #system: Pick<SystemInterfaces, 'clock' | 'random'>;
  readonly #mine: string;
  /**
   * Lock on `<#mine>.lock`, held while this process lives. A process id would not identify the process: containers that share the folder have their
   * own process ids.
   */
  #living: FileLock | null = null;
  readonly #coming = new Map<string, Promise<string>>();
  #prepared: Promise<void> | undefined;

  constructor(options: BlobCacheOptions, system: Pick<SystemInterfaces, 'clock' | 'random'>) {
    this.#options = options;
    this.#system = system;
    this.#mine = join(options.folder, 'used', system.random.uuid());
  }

  /** Writes a stream to a temporary file, hands it to `use` and removes it. */
  async spool<Result>(content: Readable, use: (path: string, blob: BlobStat) => Promise<Result>): Promise<Result> {
    await this.#prepare();
    const path = this.#temporary();
    const blob = await receiveContent(path, content);
    try {
      return await use(path, blob);
    } finally {
      await rm(path, { force: true });
    }
  }

  /**
   * Returns the path of a local file with the blob. Concurrent calls for one blob share one download.
   * @throws Error if the downloaded content does not match the name, and any error of `open`
   */
  get(name: string, open: () => Promise<Readable>): Promise<string> {
    const coming = this.#coming.get(name) ?? this.#get(name, open).finally(() => this.#coming.delete(name));
    this.#coming.set(name, coming);
    return coming;
  }

  async #get(name: string, open: () => Promise<Readable>): Promise<string> {
    await this.#prepare();
    const used = join(this.#mine, name);
    if (await exists(used)) return used;
    const kept = join(this.#options.folder, 'kept', name);
    if (!(await this.#use(kept, used))) {
      const path = this.#temporary();
      const blob = await receiveContent(path, await open());
      if (blob.name !== name) {
        await rm(path, { force: true });
        throw new Error(`the store returned content that does not match the name ${name}: the blob was damaged in the store or during the transfer`);
      }
      await link(path, used);
      await rename(path, kept);
      await this.#evict();
    }
    return used;
  }

  async #use(kept: string, used: string): Promise<boolean> {
    try {
      const now = this.#system.clock.now() / 1000;
      await link(kept, used);
      await utimes(used, now, now);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
      throw error;
    }
  }

  async #evict(): Promise<void> {
    const folder = join(this.#options.folder, 'kept');
    const files: { path: string; bytes: number; usedAt: number }[] = [];
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => null);
      if (found !== null) files.push({ path, bytes: found.size, usedAt: found.mtimeMs });
    }
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    for (const file of files.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (bytes <= this.#options.maxBytes) return;
      await rm(file.path, { force: true });
      bytes -= file.bytes;
    }
  }

  #temporary(): string {
    return join(this.#options.folder, 'incoming', this.#system.random.uuid());
  }

  #prepare(): Promise<void> {
    this.#prepared ??= this.#makeFolders().catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  async #makeFolders(): Promise<void> {
    const { folder } = this.#options;
    for (const path of ['incoming', 'kept', 'used']) await mkdir(join(folder, path), { recursive: true, mode: 0o700 });
    // Other processes that search for leftovers hold this lock for a moment, so taking the lock can fail at first.
    while (this.#living === null) this.#living = await takeLock(`${this.#mine}.lock`);
    await mkdir(this.#mine, { recursive: true, mode: 0o700 });
    const before = this.#system.clock.now() - leftoverAgeMs;
    for (const name of await readdir(join(folder, 'incoming'))) {
      const path = join(folder, 'incoming', name);
      if (((await stat(path).catch(() => null))?.mtimeMs ?? Infinity) < before) await rm(path, { force: true });
    }
    for (const name of await readdir(join(folder, 'used'))) await removeOfDead(join(folder, 'used', name.replace(/\.lock$/, '')));
  }
}

/** Removes the folder and the lock file of a process that has ended. Does nothing while the process lives. */
async function removeOfDead(used: string): Promise<void> {
  const lock = await tryLock(`${used}.lock`, 'exclusive');
  if (lock === null) return;
  await rm(used, { recursive: true, force: true });
  // The lock file is removed while the lock is held. `takeLock` and `tryLock` check after locking that the file still exists.
  await rm(`${used}.lock`, { force: true });
  await lock.release();
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(() => true, () => false);
}
