import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../database/testDatabase.ts';
import { openLinkSigner } from '../http/linkSecret.ts';
import { realDoors } from '../process/doors.ts';
import type { Blobs } from './blobs.ts';
import { createFolderBlobs } from './folderBlobs.ts';
import { isOwnStore } from './storeOwner.ts';

const references = ['select blob from batches'];
let mine: TestDatabase;
let other: TestDatabase;
let folder: string;
let blobs: Blobs;

beforeEach(async () => {
  [mine, other] = await Promise.all([openTestDatabase(), openTestDatabase()]);
  for (const database of [mine, other]) {
    await database.query('create table batches (blob text)');
    await openLinkSigner(database, realDoors);
  }
  folder = await mkdtemp(join(tmpdir(), 'vouch-owner-'));
  blobs = createFolderBlobs(folder, realDoors);
});
afterEach(async () => {
  await Promise.all([mine.close(), other.close()]);
  await rm(folder, { recursive: true });
});

const put = async (): Promise<string> => (await blobs.putStream(Readable.from(['a batch']))).name;
const owns = (database: TestDatabase, claim = true): Promise<boolean> => isOwnStore({ blobs, database }, references, claim);

it('an empty store becomes that of the first database, and never that of a second one', async () => {
  expect(await owns(other, false)).toBe(true);
  expect(await owns(mine)).toBe(true);
  await other.query('insert into batches values ($1)', [await put()]);
  expect([await owns(other), await owns(mine)]).toEqual([false, true]);
});

it('a store from before it had a mark becomes that of the database that names its blobs, not that of an empty one', async () => {
  await mine.query('insert into batches values ($1)', [await put()]);
  expect([await owns(other), await owns(mine), await owns(other)]).toEqual([false, true, false]);
});
