import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleOf } from '@vouch/platform/testing/exhaustive';
import { createFolderBlobs } from '@vouch/platform/blobs/folderBlobs';
import { openStore, findStoreOwner } from '@vouch/platform/blobs/storeOwner';
import { openTestDatabase } from '@vouch/platform/testing/testDatabase';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
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
  const blobs = createFolderBlobs(join(folder, 'blobs'), systemInterfaces);
  blob = (await blobs.putStream(Readable.from(['one']))).name;
  await database.query(`INSERT INTO organizations (id, name) VALUES ('a', 'a'), ('b', 'b')`);
  await writeBackup({ ...systemInterfaces, database, blobs, folder: backup, blobReferences: [`SELECT '${blob}' AS blob`], progress() {} });
  await database.close();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function restore(): Promise<void> {
  const manifest = await readManifest(backup);
  const database = await openTestDatabase();
  const blobs = createFolderBlobs(join(folder, 'restored'), systemInterfaces);
  try {
    await readBackup({ database, blobs, folder: backup, manifest, applied: manifest.migrations, progress() {} });
  } finally {
    await database.close();
  }
}

const table = (): string => join(backup, 'tables', 'organizations.jsonl');
it.each(sampleOf<[string, () => string, (path: string) => Promise<void>]>([
  ['a table that is missing', table, (path) => rm(path)],
  ['a table that is cut off', table, async (path) => truncate(path, (await readFile(path)).length - 3)],
  ['a table that was changed', table, async (path) => writeFile(path, (await readFile(path, 'utf8')).replace('"a"', '"c"'))],
  ['a blob that is missing', () => join(backup, 'blobs', blob), (path) => rm(path)],
  ['a blob that is cut off', () => join(backup, 'blobs', blob), (path) => truncate(path, 1)],
  ['a manifest that is cut off', () => join(backup, 'manifest.json'), (path) => truncate(path, 100)],
], 2))('%s is named, with the mend', async (_what, at, damage) => {
  await restore();
  await damage(at());
  const failure = await restore().then(() => '', (error: Error) => error.message);
  expect(failure).toContain(at());
  expect(failure).toMatch(/Copy the backup again\.$/);
});

it('a restore that was killed after its commit ends well when it is repeated, also after the store was opened, and not after a change', async () => {
  const manifest = await readManifest(backup);
  const database = await openTestDatabase();
  const blobs = createFolderBlobs(join(folder, 'restored'), systemInterfaces);
  const progress: string[] = [];
  const again = (): Promise<boolean> => readBackup({ database, blobs, folder: backup, manifest, applied: manifest.migrations, progress: (text) => progress.push(text) });
  try {
    expect(await again()).toBe(true);
    expect(await again()).toBe(false);
    await openStore({ ...systemInterfaces, database, blobs, references: [`SELECT '${blob}' AS blob`] });
    expect(await again()).toBe(false);
    expect((await blobs.stat(blob))?.bytes).toBe(3);
    expect(progress.filter((line) => line.includes('rows of'))).toHaveLength(1);
    await database.query(`UPDATE organizations SET name = 'other' WHERE id = 'b'`);
    await expect(again()).rejects.toThrow('The database is not empty, and its table organizations differs from the backup');
  } finally {
    await database.close();
  }
});

describe('a restored database', () => {
  it.each(sampleOf([
    ['owns the store that it was restored into, and leaves the old one alone', 'restored', 'this', 'this'],
    ['owns the old store where nothing has used that since', 'old', 'this', 'disputed'],
    ['leaves the old store alone where its server has used it since', 'old and used', 'disputed', 'disputed'],
  ] as const, 1))('%s', async (_what, which, restoredOwner, originalOwner) => {
    const references = [`SELECT '${blob}' AS blob`];
    const [original, restored] = await Promise.all([openTestDatabase(), openTestDatabase()]);
    const old = createFolderBlobs(join(folder, 'blobs'), systemInterfaces);
    const into = which === 'restored' ? createFolderBlobs(join(folder, 'restored'), systemInterfaces) : old;
    const whole = join(folder, 'whole');
    const ownerOf = async (database: typeof original, blobs: typeof old): Promise<string> =>
      (await openStore({ ...systemInterfaces, database, blobs, references })).owner;
    try {
      expect(await ownerOf(original, old)).toBe('this');
      await writeBackup({ ...systemInterfaces, database: original, blobs: old, folder: whole, blobReferences: references, progress() {} });
      const manifest = await readManifest(whole);
      if (which === 'old and used') expect(await ownerOf(original, old)).toBe('this');
      await readBackup({ database: restored, blobs: into, folder: whole, manifest, applied: manifest.migrations, progress() {} });
      expect([await ownerOf(restored, into), await ownerOf(original, old)]).toEqual([restoredOwner, originalOwner]);
      expect((await findStoreOwner({ ...systemInterfaces, database: restored, blobs: old, references })).owner).toBe('disputed');
    } finally {
      await Promise.all([original.close(), restored.close()]);
    }
  });
});
