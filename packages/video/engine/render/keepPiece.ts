import { createHash } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface EncodedPiece {
  /** Hash of everything that determines the content: the same key means the same bytes. */
  key: string;
  path: string;
  /** Whether an earlier rendering made the piece. */
  reused: boolean;
  /** False if only this rendering may use the piece, because a later rendering must repeat a warning. */
  lasting: boolean;
}

/**
 * Makes a file that later runs can reuse, unless the folder already contains it. The file is written atomically.
 * @param identity all values that determine the file's content
 * @param ending ending of the file name, with the dot
 * @param make writes the file; returns false if later runs must not reuse it
 */
export async function keepPiece(folder: string, identity: readonly unknown[], ending: string, make: (path: string) => Promise<boolean>): Promise<EncodedPiece> {
  const found = await findPiece(folder, identity, ending);
  if (found !== null) return found;
  const key = keyOf(identity);
  // Encoders derive the container format from the ending of the file name.
  const partial = join(folder, `${key}.partial${ending}`);
  try {
    const lasting = await make(partial);
    const path = join(folder, lasting ? key + ending : `${key}.once${ending}`);
    await rename(partial, path);
    return { key, path, reused: false, lasting };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** The piece that an earlier rendering left in the folder; null if there is none. */
export async function findPiece(folder: string, identity: readonly unknown[], ending: string): Promise<EncodedPiece | null> {
  const key = keyOf(identity);
  const path = join(folder, key + ending);
  return await hasBytes(path) ? { key, path, reused: true, lasting: true } : null;
}

function keyOf(identity: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}

async function hasBytes(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && found.isFile() && found.size > 0;
}
