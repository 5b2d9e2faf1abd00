import { createHash } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface EncodedPiece {
  /** What determines its content gives its key: the same key means the same bytes. */
  key: string;
  path: string;
  /** It was there from an earlier rendering. */
  reused: boolean;
  /** False if only this rendering may use the piece, because a later rendering must repeat a warning. */
  lasting: boolean;
}

/**
 * Makes a file that later runs use again, unless the folder holds it already; it appears there whole or not at all.
 * @param identity everything that determines its content
 * @param ending of its name, with the dot
 * @param make writes the file; it answers false for one that later runs shall not use
 */
export async function keepPiece(folder: string, identity: readonly unknown[], ending: string, make: (path: string) => Promise<boolean>): Promise<EncodedPiece> {
  const found = await findPiece(folder, identity, ending);
  if (found !== null) return found;
  const key = keyOf(identity);
  // Encoders know the container by the name's end.
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

/** The piece that an earlier rendering left; null where there is none. */
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
