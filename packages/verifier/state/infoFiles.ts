import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hex } from '@vouch/chain/messages/operation';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { attestationIdOf, maxInfoCharacters } from '../attestation/decodeInfo.ts';
import { infoPath, infosFolder } from './nodeState.ts';
import { writeWhole } from './writeNodeState.ts';

/** All together; what was judged long ago cannot be explained then. */
const maxAllBytes = 20e6;
const maxWritten = 5e6;
/** Of those that wait for the disk; the oldest go first. */
const maxWaitingBytes = 20e6;

/**
 * The texts of attestations, one file each, so that one that was announced can still be judged after a restart and explained
 * later. Longer ones than any quote are not kept: their verdict needs no second look.
 */
export class InfoFiles {
  readonly #folder: string;
  /** What could not be written yet, oldest first. */
  readonly #waiting = new Map<Hex, Uint8Array>();
  #written = 0;

  /** @param folder of the node's state */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async open(): Promise<void> {
    // What cannot be written then waits, and is said.
    await makeFolder(join(this.#folder, infosFolder), 0o700).catch(() => {});
  }

  async write(attestationId: Hex, info: string | Uint8Array): Promise<void> {
    if (info.length > maxInfoCharacters) return;
    const bytes = Buffer.from(info);
    try {
      await this.#write(attestationId, bytes);
    } catch {
      // A full disk is no reason to miss a report; `flush` says so where it lasts.
      this.#waiting.set(attestationId, bytes);
      this.#boundWaiting();
    }
  }

  /** Writes what could not be written before. @throws the system's error where that still fails */
  async flush(): Promise<void> {
    for (const [attestationId, bytes] of this.#waiting) {
      await this.#write(attestationId, bytes);
      this.#waiting.delete(attestationId);
    }
  }

  /** Whether something waits to be written. */
  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  async #write(attestationId: Hex, bytes: Uint8Array): Promise<void> {
    await makeFolder(join(this.#folder, infosFolder), 0o700);
    await writeWhole(join(this.#folder, infosFolder), `${attestationId}.txt`, bytes);
    this.#written += bytes.length;
  }

  #boundWaiting(): void {
    let sum = [...this.#waiting.values()].reduce((total, { length }) => total + length, 0);
    for (const [attestationId, { length }] of this.#waiting) {
      if (sum <= maxWaitingBytes) return;
      this.#waiting.delete(attestationId);
      sum -= length;
    }
  }

  /** Whether so much was written that it is time to `prune`. */
  get full(): boolean {
    return this.#written > maxWritten;
  }

  /** Null where it is not there, or is another text than the id says. Bytes that are no UTF-8 are no base64 in the text either. */
  async read(attestationId: Hex): Promise<string | null> {
    const info = this.#waiting.get(attestationId) ?? await readFile(infoPath(this.#folder, attestationId)).catch(() => null);
    return info !== null && attestationIdOf(info) === attestationId ? Buffer.from(info).toString('utf8') : null;
  }

  /**
   * Removes files: those of attestations that are not kept, and the oldest where all are more than some megabytes.
   * @param needed of attestations that are still to be judged: those stay
   */
  async prune(kept: ReadonlySet<string>, needed: ReadonlySet<string>): Promise<void> {
    this.#written = 0;
    const folder = join(this.#folder, infosFolder);
    const names = await readdir(folder).catch(() => []);
    const files = await Promise.all(names.map(async (name) => ({ name, id: name.replace(/\.txt$/, ''), facts: await stat(join(folder, name)).catch(() => null) })));
    const fromNewest = files.flatMap(({ facts, ...file }) => (facts === null ? [] : [{ ...file, bytes: facts.size, at: facts.mtimeMs }])).toSorted((a, b) => b.at - a.at);
    let bytes = 0;
    for (const { name, id, bytes: size } of fromNewest) {
      bytes += size;
      if (!kept.has(id) || (bytes > maxAllBytes && !needed.has(id))) await rm(join(folder, name), { force: true });
    }
  }
}
