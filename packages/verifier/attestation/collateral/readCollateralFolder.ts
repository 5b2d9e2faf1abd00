import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Collateral, CollateralFile } from './collateral.ts';
import { parseCollateral } from './parseCollateral.ts';

export const maxCollateralFiles = 256;
export const maxCollateralFileBytes = 4 * 1024 * 1024;

/** Thrown if a collateral folder cannot be used at all. The message is a sentence that names the folder and the fix. */
export class CollateralFolderFault extends Error {
  override readonly name = 'CollateralFolderFault';
}

/** If the list of files still changes after this number of reads, the result of the last read is used. */
const maxReadings = 5;

/**
 * Reads and parses the files of a folder, except hidden files and subfolders. File names have no meaning.
 * @throws CollateralFolderFault if the folder cannot be listed or contains more than maxCollateralFiles files
 */
export async function readCollateralFolder(folder: string): Promise<Collateral> {
  let names = await listFiles(folder);
  for (let reading = 1; ; reading += 1) {
    const collateral = await readFiles(folder, names);
    const after = await listFiles(folder);
    // An update writes a new signer's certificates before the documents it signed. If the files changed during the read, a document may need a new file.
    if (reading === maxReadings || after.join('/') === names.join('/')) return collateral;
    names = after;
  }
}

async function readFiles(folder: string, names: readonly string[]): Promise<Collateral> {
  const files: CollateralFile[] = [];
  const unread: { file: string; sentence: string }[] = [];
  for (const name of names) {
    const bytes = await readBounded(join(folder, name));
    if (Buffer.isBuffer(bytes)) files.push({ name, bytes });
    else unread.push({ file: name, sentence: `${name} cannot be read: ${bytes.fault}.` });
  }
  const parsed = parseCollateral(files);
  return { ...parsed, faults: [...parsed.faults, ...unread] };
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name).sort();
    if (names.length > maxCollateralFiles) {
      throw new CollateralFolderFault(`The collateral folder ${folder} contains ${names.length} files, more than ${maxCollateralFiles}: name a folder that contains only collateral.`);
    }
    return names;
  } catch (error) {
    if (error instanceof CollateralFolderFault) throw error;
    throw new CollateralFolderFault(`The collateral folder ${folder} cannot be read (${reasonOf(error)}): create the folder, then run verifier collateral update.`);
  }
}

async function readBounded(path: string): Promise<Buffer | { fault: string }> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const { size } = await file.stat();
    if (size > maxCollateralFileBytes) return { fault: `it has ${size} bytes, more than ${maxCollateralFileBytes}` };
    return await file.readFile();
  } catch (error) {
    return { fault: reasonOf(error) };
  } finally {
    await file?.close();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
