import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hex } from '@vouch/chain/messages/operation';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { attestationIdOf, maxInfoCharacters } from '../attestation/decodeInfo.ts';
import { infoPath, infosFolder } from './nodeState.ts';
import { writeWhole } from './writeNodeState.ts';

/**
 * The texts of attestations, one file each, so that one that was announced can still be judged after a restart and explained
 * later. Longer ones than any quote are not kept: their verdict needs no second look.
 */
export class InfoFiles {
  readonly #folder: string;

  /** @param folder of the node's state */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async open(): Promise<void> {
    await makeFolder(join(this.#folder, infosFolder), 0o700);
  }

  async write(attestationId: Hex, info: string): Promise<void> {
    if (info.length <= maxInfoCharacters) await writeWhole(join(this.#folder, infosFolder), `${attestationId}.txt`, info);
  }

  /** Null where it is not there, or is another text than the id says. */
  async read(attestationId: Hex): Promise<string | null> {
    const info = await readFile(infoPath(this.#folder, attestationId), 'utf8').catch(() => null);
    return info !== null && attestationIdOf(info) === attestationId ? info : null;
  }

  /** Removes every file but those of the attestations that are kept. */
  async prune(kept: ReadonlySet<string>): Promise<void> {
    const names = await readdir(join(this.#folder, infosFolder)).catch(() => []);
    for (const name of names) {
      if (!kept.has(name.replace(/\.txt$/, ''))) await rm(join(this.#folder, infosFolder, name), { force: true });
    }
  }
}
