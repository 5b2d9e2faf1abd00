import { readlinkSync } from 'node:fs';
import { mkdtemp, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Blobs } from '@vouch/platform/blobs/blobs';
import { collectBlobs } from '@vouch/platform/blobs/collectBlobs';
import { createFolderBlobs } from '@vouch/platform/blobs/folderBlobs';
import { collectionName, openStore } from '@vouch/platform/blobs/storeOwner';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
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
  blobs = createFolderBlobs(join(folder, 'blobs'), systemInterfaces);
  await openStore({ ...systemInterfaces, database, blobs, references: [] });
  names = [];
  for (const text of ['one', 'two', 'three']) names.push((await blobs.putStream(Readable.from([text]))).name);
  said = [];
  request = {
    ...systemInterfaces, database, blobs, folder: join(folder, 'backup'),
    blobReferences: [`SELECT unnest(ARRAY[${names.map((name) => `'${name}'`).join(',')}]) AS blob`],
    progress: (text) => said.push(text),
  };
});

afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

it('a backup has every blob that was named when it began, whatever is collected meanwhile', async () => {
  // Rows referenced the blobs until the backup began.
  const collect = () => collectBlobs({ ...systemInterfaces, log: createLogger('silent'), database, blobs, references: [], graceMs: -1_000, restMs: 0 });
  const collected: unknown[] = [];
  const whileCollecting: Blobs = {
    ...blobs,
    async read(name, range) {
      collected.push(await collect());
      return blobs.read(name, range);
    },
  };
  const manifest = await writeBackup({ ...request, blobs: whileCollecting });
  expect(manifest.blobs.map(({ name }) => name)).toEqual([...names].sort());
  expect((await readdir(join(folder, 'backup', 'blobs'))).sort()).toEqual([...names].sort());
  expect(collected).toEqual([null, null, null]);
  expect((await collect())?.marked.blobs).toBe(3);
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
        expect(said).toEqual(['waiting until the collection of unreferenced blobs or another backup ends']);
        expect(await readdir(join(folder, 'backup', 'blobs'))).toEqual([]);
        endCollection();
        await collecting;
      },
    },
  });
  expect((await backup).blobs.length).toBe(3);
});

it('a backup of a damaged file ends with its name, and not as complete, because a restore would refuse the file', async () => {
  const read: Blobs['read'] = (name, range) => (name === names[1] ? Promise.resolve(Readable.from([Buffer.from('tw')])) : blobs.read(name, range));
  await expect(writeBackup({ ...request, blobs: { ...blobs, read } })).rejects.toThrow(`The file ${names[1]} in ${blobs.place} is damaged`);
  expect(await readdir(request.folder)).toEqual([]);
});

it('a backup that fills the disk names its folder and the remedy, and leaves no files behind', async () => {
  const read = () => Promise.reject(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
  await expect(writeBackup({ ...request, blobs: { ...blobs, read } })).rejects.toThrow(
    `The disk of ${request.folder} became full; no files were left behind. Free space on this disk`);
  expect(await readdir(request.folder)).toEqual([]);
});

it('a backup that is stopped within a blob, or before its first row, leaves nothing, and the folder takes the next one', async () => {
  const reason = new Error('stopped by SIGINT');
  const controller = new AbortController();
  const endless: Blobs['read'] = () => Promise.resolve(Readable.from((async function* () {
    for (;;) {
      yield Buffer.alloc(1_000);
      controller.abort(reason);
      await new Promise((done) => setImmediate(done));
    }
  })()));
  await expect(writeBackup({ ...request, blobs: { ...blobs, read: endless }, signal: controller.signal })).rejects.toThrow('aborted');
  expect(await readdir(request.folder)).toEqual([]);
  await expect(writeBackup({ ...request, signal: AbortSignal.abort(reason) })).rejects.toThrow(reason);
  expect(await readdir(request.folder)).toEqual([]);
  expect((await writeBackup(request)).blobs.length).toBe(3);
});

it.skipIf(process.platform !== 'linux')('a power failure after the end of a backup loses none of its files: their folders are synced before the manifest, its folder after it', async () => {
  const handle = await open(folder, 'r');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const sync = prototype.sync;
  const synced: string[] = [];
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(function (this: FileHandle) {
    synced.push(readlinkSync(`/proc/self/fd/${this.fd}`).slice(folder.length));
    return sync.call(this);
  });
  try {
    await writeBackup(request);
  } finally {
    spy.mockRestore();
  }
  const parts = ['/backup/tables', '/backup/blobs', '/backup', ''];
  const manifest = synced.findIndex((path) => path.startsWith('/backup/manifest.json'));
  expect(synced.slice(manifest - parts.length, manifest)).toEqual(parts);
  expect(synced.slice(manifest + 1)).toEqual(['/backup']);
});
