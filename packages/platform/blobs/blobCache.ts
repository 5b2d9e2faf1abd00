import { link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { SystemInterfaces } from '../process/doors.ts';
import { takeLock, tryLock, type FileLock } from '../process/fileLock.ts';
import type { BlobStat } from './blobs.ts';
import { receiveContent } from './receiveContent.ts';

export interface BlobCacheOptions {
  /** May be shared by several processes of one machine. */
  folder: string;
  /** Kept files beyond this are removed, the least recently used first; those in use stay on the disk until their process ends. */
  maxBytes: number;
}

const leftoverAgeMs = 3_600_000;

/**
 * Local copies of remote blobs. `kept/` holds them for all processes; each process has hard links of what it was given
 * in a folder of its own, so that no eviction takes a file from it.
 */
export class BlobCache {
  readonly #options: BlobCacheOptions;
  readonly #doors: Pick<SystemInterfaces, 'clock' | 'random'>;
  readonly #mine: string;
  /** On `<#mine>.lock` while this process lives: its number says nothing in another container. */
  #living: FileLock | null = null;
  readonly #coming = new Map<string, Promise<string>>();
  #prepared: Promise<void> | undefined;

  constructor(options: BlobCacheOptions, doors: Pick<SystemInterfaces, 'clock' | 'random'>) {
    this.#options = options;
    this.#doors = doors;
    this.#mine = join(options.folder, 'used', doors.random.uuid());
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

  /** A local file with the blob, fetched at most once at a time. */
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
        throw new Error(`the store gave other content than ${name}: it is damaged there or on the way`);
      }
      await link(path, used);
      await rename(path, kept);
      await this.#evict();
    }
    return used;
  }

  async #use(kept: string, used: string): Promise<boolean> {
    try {
      const now = this.#doors.clock.now() / 1000;
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
    return join(this.#options.folder, 'incoming', this.#doors.random.uuid());
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
    // Others look for leftovers meanwhile, and hold a lock for as long as they remove one.
    while (this.#living === null) this.#living = await takeLock(`${this.#mine}.lock`);
    await mkdir(this.#mine, { recursive: true, mode: 0o700 });
    const before = this.#doors.clock.now() - leftoverAgeMs;
    for (const name of await readdir(join(folder, 'incoming'))) {
      const path = join(folder, 'incoming', name);
      if (((await stat(path).catch(() => null))?.mtimeMs ?? Infinity) < before) await rm(path, { force: true });
    }
    for (const name of await readdir(join(folder, 'used'))) await removeOfDead(join(folder, 'used', name.replace(/\.lock$/, '')));
  }
}

/** Removes the files of a process, and its lock, unless it lives. */
async function removeOfDead(used: string): Promise<void> {
  const lock = await tryLock(`${used}.lock`, 'exclusive');
  if (lock === null) return;
  await rm(used, { recursive: true, force: true });
  // While it is held: whoever takes a lock makes sure that the file is still there.
  await rm(`${used}.lock`, { force: true });
  await lock.release();
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(() => true, () => false);
}
