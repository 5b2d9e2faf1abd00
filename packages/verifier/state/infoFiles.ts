import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hex } from '@vouch/chain/messages/operation';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { writeFileAtomically } from '@vouch/platform/process/writeFileAtomically';
import { attestationIdOf, maxInfoCharacters } from '../attestation/decodeInfo.ts';
import { infoPath, infosFolder } from './nodeState.ts';

/** Limit of all files together, in bytes; verdicts whose files were removed cannot be explained any more. */
const maxAllBytes = 20e6;
const maxWritten = 5e6;
/** Limit for texts that wait for the disk; the oldest are dropped first. */
const maxWaitingBytes = 20e6;

/**
 * Stores the texts of attestations, one file each, so that an announced attestation can be judged after a restart and explained
 * later. Texts longer than any quote are not stored, because their verdict never changes.
 */
export class InfoFiles {
  readonly #folder: string;
  /** Texts that could not be written yet, oldest first. */
  readonly #waiting = new Map<Hex, Uint8Array>();
  #written = 0;

  /** @param folder of the node's state */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async open(): Promise<void> {
    // Texts that cannot be written wait in memory, and `flush` reports the error.
    await makeFolder(join(this.#folder, infosFolder), 0o700).catch(() => {});
  }

  async write(attestationId: Hex, info: string | Uint8Array): Promise<void> {
    if (info.length > maxInfoCharacters) return;
    const bytes = Buffer.from(info);
    try {
      await this.#write(attestationId, bytes);
    } catch {
      // A full disk does not stop the report; `flush` reports the error if it persists.
      this.#waiting.set(attestationId, bytes);
      this.#boundWaiting();
    }
  }

  /** Writes the waiting texts. @throws the system's error when writing still fails */
  async flush(): Promise<void> {
    for (const [attestationId, bytes] of this.#waiting) {
      await this.#write(attestationId, bytes);
      this.#waiting.delete(attestationId);
    }
  }

  /** Whether texts wait to be written. */
  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  async #write(attestationId: Hex, bytes: Uint8Array): Promise<void> {
    await makeFolder(join(this.#folder, infosFolder), 0o700);
    await writeFileAtomically(infoPath(this.#folder, attestationId), bytes);
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

  /** Whether enough was written since the last `prune` to prune again. */
  get full(): boolean {
    return this.#written > maxWritten;
  }

  /** @returns null when the file is missing or its content does not hash to the id */
  async read(attestationId: Hex): Promise<string | null> {
    const info = this.#waiting.get(attestationId) ?? await readFile(infoPath(this.#folder, attestationId)).catch(() => null);
    return info !== null && attestationIdOf(info) === attestationId ? Buffer.from(info).toString('utf8') : null;
  }

  /**
   * Removes the texts of attestations that are not stored any more, and the oldest texts beyond the limit of all files.
   * @param needed ids of attestations that are still to be judged; their texts stay
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
