import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { Blobs } from '@vouch/platform/blobs/blobs';
import { findDifferentTable, findFilledTable, restoreTables } from '@vouch/platform/database/backup/restoreTables';
import type { Database } from '@vouch/platform/database/database';
import { BackupFault, type Manifest } from './manifest.ts';

export interface RestoreRequest {
  database: Database;
  blobs: Blobs;
  folder: string;
  manifest: Manifest;
  /** Migrations applied in the target database, as `product/name`. */
  applied: readonly string[];
  progress(text: string): void;
  /** Ends the restore before the next blob or part of a table; nothing of the tables stays. */
  signal?: AbortSignal;
}

/**
 * Restores a backup into an empty, migrated installation: first the blobs, then all rows in one transaction. A restore that ended after the commit can be repeated.
 * @returns false if an earlier restore has restored the rows already
 * @throws BackupFault if the backup does not fit the installation, the database is not empty, or a blob is unreadable or damaged;
 * DatabaseFault if a table file is damaged or missing; the reason of `signal`
 */
export async function readBackup(request: RestoreRequest): Promise<boolean> {
  const { database, blobs, folder, manifest, signal } = request;
  refuseOther(manifest, request.applied);
  const isRestored = (await findFilledTable(database)) !== null;
  const different = isRestored ? await findDifferentTable(database, manifest.tables) : null;
  if (different !== null) {
    throw new BackupFault(`The database is not empty, and its table ${different} differs from the backup. Restore into a new data folder or an empty database.`);
  }
  for (const { name } of manifest.blobs) {
    signal?.throwIfAborted();
    const path = join(folder, 'blobs', name);
    await access(path, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
      throw new BackupFault(`The file ${path} of the backup cannot be read (${error.code ?? error.message}). Copy the backup again.`);
    });
    const stored = await blobs.putFile(path);
    if (stored.name !== name) throw new BackupFault(`The file ${path} is damaged: its content does not match the hash in its name. Copy the backup again.`);
  }
  request.progress(`${manifest.blobs.length} blobs`);
  if (isRestored) return false;
  await restoreTables(database, join(folder, 'tables'), manifest.tables, signal);
  request.progress(`${manifest.tables.reduce((sum, table) => sum + table.rows, 0)} rows of ${manifest.tables.length} tables`);
  return true;
}

/** Rows can be restored only into tables made by exactly the migrations that the backup lists. */
function refuseOther(manifest: Manifest, applied: readonly string[]): void {
  const here = new Set(applied);
  const there = new Set(manifest.migrations);
  const unknown = manifest.migrations.find((name) => !here.has(name));
  const missing = applied.find((name) => !there.has(name));
  if (unknown !== undefined) {
    throw new BackupFault(`A newer release wrote the backup, with the migration ${unknown}. Restore the backup with that release.`);
  }
  if (missing !== undefined) {
    throw new BackupFault(`An older release wrote the backup, before the migration ${missing}. Restore the backup with that release, then start this release on the same data.`);
  }
}
