import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFolderBlobs } from '@vouch/platform/blobs/folderBlobs';
import { openTestDatabase } from '@vouch/platform/database/testDatabase';
import { realDoors } from '@vouch/platform/process/doors';
import { readManifest } from './manifest.ts';
import { readBackup } from './readBackup.ts';
import { writeBackup } from './writeBackup.ts';

let folder: string;
let backup: string;
let blob: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-read-backup-'));
  backup = join(folder, 'backup');
  const database = await openTestDatabase();
  const blobs = createFolderBlobs(join(folder, 'blobs'), realDoors);
  blob = (await blobs.putStream(Readable.from(['one']))).name;
  await database.query(`insert into organizations (id, name) values ('a', 'a'), ('b', 'b')`);
  await writeBackup({ ...realDoors, database, blobs, folder: backup, blobReferences: [`select '${blob}' as blob`], progress() {} });
  await database.close();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function restore(): Promise<void> {
  const manifest = await readManifest(backup);
  const database = await openTestDatabase();
  const blobs = createFolderBlobs(join(folder, 'restored'), realDoors);
  try {
    await readBackup({ database, blobs, folder: backup, manifest, applied: manifest.migrations, progress() {} });
  } finally {
    await database.close();
  }
}

const table = (): string => join(backup, 'tables', 'organizations.jsonl');
it.each<[string, () => string, (path: string) => Promise<void>]>([
  ['a table that is missing', table, (path) => rm(path)],
  ['a table that is cut off', table, async (path) => truncate(path, (await readFile(path)).length - 3)],
  ['a table that was changed', table, async (path) => writeFile(path, (await readFile(path, 'utf8')).replace('"a"', '"c"'))],
  ['a blob that is missing', () => join(backup, 'blobs', blob), (path) => rm(path)],
  ['a blob that is cut off', () => join(backup, 'blobs', blob), (path) => truncate(path, 1)],
  ['a manifest that is cut off', () => join(backup, 'manifest.json'), (path) => truncate(path, 100)],
])('%s is named, with the mend', async (_what, at, damage) => {
  await restore();
  await damage(at());
  const failure = await restore().then(() => '', (error: Error) => error.message);
  expect(failure).toContain(at());
  expect(failure).toMatch(/Copy the backup again\.$/);
});
