import { createHash } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface EncodedPiece {
  /** What determines its content gives its key: the same key means the same bytes. */
  key: string;
  path: string;
  /** It was there from an earlier rendering. */
  reused: boolean;
}

/**
 * Makes a file that later runs use again, unless the folder holds it already; it appears there whole or not at all.
 * @param identity everything that determines its content
 * @param ending of its name, with the dot
 */
export async function keepPiece(folder: string, identity: readonly unknown[], ending: string, make: (path: string) => Promise<void>): Promise<EncodedPiece> {
  const key = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
  const path = join(folder, key + ending);
  if (await hasBytes(path)) return { key, path, reused: true };
  // Encoders know the container by the name's end.
  const partial = join(folder, `${key}.partial${ending}`);
  try {
    await make(partial);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  return { key, path, reused: false };
}

async function hasBytes(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && found.isFile() && found.size > 0;
}
