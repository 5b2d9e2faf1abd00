import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Blobs } from '@vouch/platform/blobs/blobs';
import { collectionName } from '@vouch/platform/blobs/storeOwner';
import { dumpTables } from '@vouch/platform/database/backup/dumpTables';
import type { Database } from '@vouch/platform/database/database';
import { isDiskFull } from '@vouch/platform/process/diskFull';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Clock, Timers } from '@vouch/platform/process/systemInterfaces';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { syncFolder, writeFileAtomically } from '@vouch/platform/process/writeFileAtomically';
import { BackupFault, manifestName, type Manifest } from './manifest.ts';

export interface BackupRequest {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  timers: Timers;
  /** Target folder; must be new or empty. */
  folder: string;
  /** SQL queries that together return the names of all blobs that table rows reference. */
  blobReferences: readonly string[];
  progress(text: string): void;
  /** Ends the backup before the next thousand rows, or within a blob. */
  signal?: AbortSignal;
}

/** Folders of a backup. */
const parts = ['tables', 'blobs'] as const;

/** Longest wait for another process, in seconds: blob collection takes seconds, or minutes on a large store. */
const maxWaitingSeconds = 1_800;

/**
 * Writes a consistent snapshot of tables and blobs into a folder while the server runs. Blob collection is paused during the
 * copy, because the snapshot can reference a blob that the server no longer uses. A backup that fails leaves nothing in the folder.
 * @throws BackupFault; `storage-full`; the reason of `signal`
 */
export async function writeBackup(request: BackupRequest): Promise<Manifest> {
  await prepareFolder(request.folder);
  try {
    return await copyInTurn(request);
  } catch (error) {
    for (const part of parts) await rm(join(request.folder, part), { recursive: true, force: true });
    throw explain(error, request.folder);
  }
}

async function copyInTurn(request: BackupRequest): Promise<Manifest> {
  for (let waited = 0; waited < maxWaitingSeconds; waited += 1) {
    const manifest = await request.database.elect(collectionName, () => copyAll(request));
    if (manifest !== null) return manifest;
    if (waited === 0) request.progress('waiting until the collection of unreferenced blobs or another backup ends');
    await request.timers.sleep(1_000);
    request.signal?.throwIfAborted();
  }
  throw new BackupFault(`Another process has collected blobs or written a backup for ${maxWaitingSeconds} s. Try again later.`);
}

function explain(error: unknown, folder: string): unknown {
  if (!isDiskFull(error)) return error;
  return platformErrors.problem('storage-full', `The disk of ${folder} became full; no files were left behind. Free space on this disk, or choose a folder on another disk.`, { cause: error });
}

async function copyAll(request: BackupRequest): Promise<Manifest> {
  const { database, blobs, folder } = request;
  const dump = await dumpTables(database, join(folder, 'tables'), request.blobReferences, request.signal);
  request.progress(`${dump.tables.reduce((sum, table) => sum + table.rows, 0)} rows of ${dump.tables.length} tables`);
  const stored: Manifest['blobs'] = [];
  for (const name of dump.names) {
    stored.push({ name, bytes: await copyBlob(blobs, name, join(folder, 'blobs', name), request.signal) });
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
  await makeFolder(folder, 0o700).catch((error: NodeJS.ErrnoException) => {
    const remedy = error.code === 'EEXIST' || error.code === 'ENOTDIR' ? 'A file exists at this path or at the path of a parent folder: choose a new folder.' : 'Choose a folder that this user can write to.';
    throw new BackupFault(`The folder ${folder} cannot be created (${error.code ?? error.message}). ${remedy}`);
  });
  if ((await readdir(folder)).length > 0) {
    throw new BackupFault(`The folder ${folder} is not empty. Use a new folder for each backup.`);
  }
  for (const part of parts) await mkdir(join(folder, part), { mode: 0o700 });
}

/**
 * Copies a blob and flushes the copy to disk. Returns the size in bytes.
 * @throws BackupFault if the content does not match the hash in the name: a backup with it could not be restored
 */
async function copyBlob(blobs: Blobs, name: string, path: string, signal?: AbortSignal): Promise<number> {
  const hash = createHash('sha256');
  const hashed = async function* (content: AsyncIterable<Uint8Array>) {
    for await (const part of content) {
      hash.update(part);
      yield part;
    }
  };
  await pipeline(await blobs.read(name), hashed, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }), { signal });
  if (`sha256-${hash.digest('hex')}` !== name) {
    throw new BackupFault(`The file ${name} in ${blobs.place} is damaged: its content does not match the hash in its name, so the backup could not be restored. Bring the file back from an earlier backup, or replace what uses it: train the model again, upload the file again and delete the old batch, or delete the run. Then write the backup again.`);
  }
  return (await stat(path)).size;
}

/** Writes the manifest, which makes the backup complete, after everything that the manifest names is on disk. */
async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  for (const part of [...parts, '.', '..']) await syncFolder(join(folder, part));
  await writeFileAtomically(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
}
