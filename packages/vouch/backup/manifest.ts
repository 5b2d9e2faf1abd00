import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';

export const manifestName = 'manifest.json';

/**
 * Contents of a backup folder. `writeBackup` writes the manifest last, so a folder without a manifest is an incomplete backup.
 */
export const Manifest = Type.Object({
  format: Type.Literal('vouch backup'),
  version: Type.Literal(1),
  created_at: Type.String(),
  /** Applied migrations as `product/name`. */
  migrations: Type.Array(Type.String()),
  tables: Type.Array(
    Type.Object({ name: Type.String(), file: Type.String({ pattern: '^[a-z_0-9]+\\.jsonl$' }), rows: Type.Integer(), sha256: Type.String() }),
  ),
  blobs: Type.Array(Type.Object({ name: Type.String({ pattern: '^sha256-[0-9a-f]{64}$' }), bytes: Type.Integer() })),
});
export type Manifest = Static<typeof Manifest>;

/** Thrown when a backup cannot be written or read. The message tells the operator what to do. */
export class BackupFault extends Error {
  override readonly name = 'BackupFault';
}

/**
 * Reads and checks the manifest of a backup folder.
 * @throws BackupFault if the folder has no manifest, or a manifest in a format that this program does not know
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestName);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const code = error.code ?? error.message;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw new BackupFault(`${path} cannot be read (${code}). Give this user read access to the backup.`);
    throw new BackupFault(`${folder} is not a complete backup: it has no ${manifestName}. Use the folder that vouch backup wrote.`);
  });
  const manifest = parse(text);
  if (manifest === null) throw new BackupFault(`${path} is damaged: it is not JSON. Copy the backup again.`);
  if (!Check(Manifest, manifest)) {
    throw new BackupFault(`${path} is not a manifest of version 1, so this release cannot restore the backup. Use the release that wrote the backup.`);
  }
  return manifest;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
