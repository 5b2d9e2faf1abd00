import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Blobs } from '@vouch/platform/blobs/blobs';
import { dumpTables } from '@vouch/platform/database/backup/dumpTables';
import type { Database } from '@vouch/platform/database/database';
import type { Clock } from '@vouch/platform/process/doors';
import { BackupFault, manifestName, type Manifest } from './manifest.ts';

export interface BackupRequest {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  /** A folder that is new or empty. */
  folder: string;
  /** SQL that returns the names of all blobs that rows name. */
  blobReferences: readonly string[];
  progress(text: string): void;
}

/** Writes tables and blobs of one moment into a folder, beside the running server. @throws BackupFault */
export async function writeBackup(request: BackupRequest): Promise<Manifest> {
  const { database, blobs, folder } = request;
  await prepareFolder(folder);
  const dump = await dumpTables(database, join(folder, 'tables'), request.blobReferences);
  request.progress(`${dump.tables.reduce((sum, table) => sum + table.rows, 0)} rows of ${dump.tables.length} tables`);
  const stored: Manifest['blobs'] = [];
  for (const name of dump.names) {
    stored.push({ name, bytes: await copyBlob(blobs, name, join(folder, 'blobs', name)) });
    if (stored.length % 100 === 0) request.progress(`${stored.length} of ${dump.names.length} blobs`);
  }
  request.progress(`${stored.length} blobs, ${stored.reduce((sum, blob) => sum + blob.bytes, 0)} bytes`);
  const manifest: Manifest = {
    format: 'vouch backup',
    version: 1,
    created_at: new Date(request.clock.now()).toISOString(),
    migrations: dump.migrations,
    tables: dump.tables,
    blobs: stored,
  };
  await writeManifest(folder, manifest);
  return manifest;
}

async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) {
    throw new BackupFault(`The folder ${folder} is not empty. Name a new folder for each backup.`);
  }
  await mkdir(join(folder, 'tables'), { mode: 0o700 });
  await mkdir(join(folder, 'blobs'), { mode: 0o700 });
}

/** Copies a blob and forces it to the disk; returns its bytes. */
async function copyBlob(blobs: Blobs, name: string, path: string): Promise<number> {
  await pipeline(await blobs.read(name), createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
  return (await stat(path)).size;
}

async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, manifestName);
  const file = await open(`${path}.incomplete`, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.incomplete`, path);
}
