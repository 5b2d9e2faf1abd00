import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { JsonFields, UnreadableDocument } from '../attestation/collateral/jsonFields.ts';
import { basisId, readBasis, writeBasis, type Basis } from '../attestation/explain/basis.ts';

/** Folder of the node's state in which they lie, one JSON file each. */
const folderName = 'bases';
const maxFileBytes = 64 * 2 ** 20;
/** All together; the oldest go first. */
const maxAllBytes = 30e6;

/**
 * What attestations were judged by: collateral, policy and trust root, one file for each state of the three, written when it
 * changes. With it, and with the text and the date of an attestation, a vote can be shown anew long after the collateral was
 * renewed.
 */
export class BasisFiles {
  readonly #folder: string;
  #last: string | null = null;

  /** @param folder of the node's state */
  constructor(folder: string) {
    this.#folder = join(folder, folderName);
  }

  /** @returns its name, under which `read` gives it again */
  async keep(basis: Basis): Promise<string> {
    const id = basisId(basis);
    if (id === this.#last) return id;
    await makeFolder(this.#folder, 0o700);
    const path = this.#path(id);
    if (!(await stat(path).then(() => true, () => false))) {
      // Without a flush: after a power cut at this moment the vote can be explained by the collateral of then, or not at all.
      await writeFile(`${path}.new`, JSON.stringify(writeBasis(basis, basis.collateral.files)), { mode: 0o600 });
      await rename(`${path}.new`, path);
      await this.#bound(id);
    }
    this.#last = id;
    return id;
  }

  /** Null where it is not kept any more, or cannot be read, or is another one than its name says. */
  async read(id: string): Promise<Basis | null> {
    if (!/^[0-9a-f]{64}$/.test(id)) return null;
    try {
      const { size } = await stat(this.#path(id));
      if (size > maxFileBytes) return null;
      const basis = readBasis(new JsonFields(JSON.parse(await readFile(this.#path(id), 'utf8')), 'the basis'));
      return basisId(basis) === id ? basis : null;
    } catch (error) {
      if (error instanceof UnreadableDocument || error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return null;
      throw error;
    }
  }

  /** Removes the oldest beyond maxAllBytes, never the one that was just written. */
  async #bound(newest: string): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.json') && name !== `${newest}.json`);
    const files = await Promise.all(names.map(async (name) => ({ name, facts: await stat(join(this.#folder, name)).catch(() => null) })));
    const fromNewest = files.flatMap(({ name, facts }) => (facts === null ? [] : [{ name, bytes: facts.size, at: facts.mtimeMs }])).toSorted((a, b) => b.at - a.at);
    let bytes = (await stat(this.#path(newest))).size;
    for (const file of fromNewest) {
      bytes += file.bytes;
      if (bytes > maxAllBytes) await rm(join(this.#folder, file.name), { force: true });
    }
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
