import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Blobs } from '@vouch/platform/blobs/blobs';
import { collectBlobs, collectionName } from '@vouch/platform/blobs/collectBlobs';
import { createFolderBlobs } from '@vouch/platform/blobs/folderBlobs';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/database/testDatabase';
import { realDoors } from '@vouch/platform/process/doors';
import { writeBackup, type BackupRequest } from './writeBackup.ts';

let database: TestDatabase;
let folder: string;
let blobs: Blobs;
let names: string[];
let request: BackupRequest;
let said: string[];

beforeEach(async () => {
  database = await openTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'vouch-write-backup-'));
  blobs = createFolderBlobs(join(folder, 'blobs'), realDoors);
  names = [];
  for (const text of ['one', 'two', 'three']) names.push((await blobs.putStream(Readable.from([text]))).name);
  said = [];
  request = {
    ...realDoors, database, blobs, folder: join(folder, 'backup'),
    blobReferences: [`select unnest(array[${names.map((name) => `'${name}'`).join(',')}]) as blob`],
    progress: (text) => said.push(text),
  };
});

afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

it('a backup has every blob that was named when it began, whatever is collected meanwhile', async () => {
  const collected: number[] = [];
  const whileCollecting: Blobs = {
    ...blobs,
    async read(name, range) {
      // Since the backup began the rows that named them are gone.
      collected.push((await collectBlobs({ ...realDoors, database, blobs, references: [], graceMs: -1_000 })).blobs);
      return blobs.read(name, range);
    },
  };
  const manifest = await writeBackup({ ...request, blobs: whileCollecting });
  expect(manifest.blobs.map(({ name }) => name)).toEqual([...names].sort());
  expect((await readdir(join(folder, 'backup', 'blobs'))).sort()).toEqual([...names].sort());
  expect(collected).toEqual([0, 0, 0]);
  expect((await collectBlobs({ ...realDoors, database, blobs, references: [], graceMs: -1_000 })).blobs).toBe(3);
});

it('a backup waits for a collection that runs, and says so', async () => {
  let endCollection = (): void => {};
  const collection = new Promise<void>((resolve) => { endCollection = resolve; });
  let begun = (): void => {};
  const beginning = new Promise<void>((resolve) => { begun = resolve; });
  const collecting = database.elect(collectionName, async () => {
    begun();
    await collection;
    return true;
  });
  await beginning;
  const backup = writeBackup({
    ...request,
    timers: {
      async sleep() {
        expect(said).toEqual(['waiting until unnamed blobs are collected, or another backup ends']);
        expect(await readdir(join(folder, 'backup', 'blobs'))).toEqual([]);
        endCollection();
        await collecting;
      },
    },
  });
  expect((await backup).blobs.length).toBe(3);
});

it('a backup whose disk is full says so, with its folder and the mend', async () => {
  const read = () => Promise.reject(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
  await expect(writeBackup({ ...request, blobs: { ...blobs, read } })).rejects.toThrow(
    `There is no space left for the backup (ENOSPC); what ${request.folder} holds is not complete. Remove it, then free space`);
});
