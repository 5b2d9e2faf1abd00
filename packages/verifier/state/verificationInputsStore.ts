import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { writeFileAtomically } from '@vouch/platform/process/writeFileAtomically';
import { JsonFields, UnreadableDocument } from '../attestation/collateral/jsonFields.ts';
import { inputsId, decodeInputs, encodeInputs, type VerificationInputs } from '../attestation/explain/verificationInputs.ts';

/** Folder of the verification inputs below the node's folder, one JSON file each. The name is part of the file format. */
const folderName = 'bases';
const maxFileBytes = 64 * 2 ** 20;
/** Limit for all files together; the oldest files are removed first. */
const maxAllBytes = 30e6;

/**
 * Stores the inputs of verifications: collateral, policy and trust root. A file is written whenever one of the three changes.
 * With the stored inputs and an attestation's text and date, a vote can be reproduced long after the collateral was renewed.
 */
export class VerificationInputsStore {
  readonly #folder: string;
  #last: string | null = null;

  /** @param folder of the node's state */
  constructor(folder: string) {
    this.#folder = join(folder, folderName);
  }

  /** Stores the inputs unless they are stored already. @returns their id, the argument of `read` */
  async keep(inputs: VerificationInputs): Promise<string> {
    const id = inputsId(inputs);
    if (id === this.#last) return id;
    await makeFolder(this.#folder, 0o700);
    const path = this.#path(id);
    if (!(await stat(path).then(() => true, () => false))) {
      await writeFileAtomically(path, JSON.stringify(encodeInputs(inputs, inputs.collateral.files)));
      await this.#bound(id);
    }
    this.#last = id;
    return id;
  }

  /** @returns null when no file has this id, when the file cannot be read, or when its content does not match the id */
  async read(id: string): Promise<VerificationInputs | null> {
    if (!/^[0-9a-f]{64}$/.test(id)) return null;
    try {
      const { size } = await stat(this.#path(id));
      if (size > maxFileBytes) return null;
      const inputs = decodeInputs(new JsonFields(JSON.parse(await readFile(this.#path(id), 'utf8')), 'the verification inputs'));
      return inputsId(inputs) === id ? inputs : null;
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
