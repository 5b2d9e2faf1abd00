import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../database/testDatabase.ts';
import { realDoors, type Doors } from '../process/doors.ts';
import type { Blobs } from './blobs.ts';
import { collectBlobs } from './collectBlobs.ts';
import { createFolderBlobs } from './folderBlobs.ts';

const hour = 3_600_000;
const references = ['select blob from batches', 'select file from models where file is not null'];
let database: TestDatabase;
let folder: string;
let blobs: Blobs;
let now = Date.now();
const doors: Doors = { ...realDoors, clock: { now: () => now } };

beforeAll(async () => {
  database = await openTestDatabase();
  await database.query('create table batches (blob text)');
  await database.query('create table models (file text)');
  folder = await mkdtemp(join(tmpdir(), 'vouch-blobs-'));
  blobs = createFolderBlobs(folder, doors);
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  for await (const { name } of blobs.list()) await blobs.remove(name);
});

async function put(content = randomBytes(100)): Promise<string> {
  return (await blobs.putStream(Readable.from([content]))).name;
}

const collect = (more: { graceMs?: number } = {}) => collectBlobs({ database, blobs, clock: doors.clock, references, ...more });

async function names(): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of blobs.list()) found.push(name);
  return found.sort();
}

it('removes what no row names once it is older than the grace, and nothing else', async () => {
  const [inBatch, inModel, unnamed] = [await put(), await put(), await put()];
  await database.query('insert into batches values ($1)', [inBatch]);
  await database.query('insert into models values ($1), (null)', [inModel]);
  now += hour - 1;
  expect(await collect()).toEqual({ blobs: 0, bytes: 0 });
  now += 2;
  const young = await put();
  expect(await collect()).toEqual({ blobs: 1, bytes: 100 });
  expect(await names()).toEqual([inBatch, inModel, young].sort());
  expect(await blobs.stat(unnamed)).toBeNull();
});

it('leaves an old blob whose content was put again, since its row may come yet', async () => {
  const content = randomBytes(100);
  const name = await put(content);
  now += 2 * hour;
  await put(content);
  expect(await collect()).toEqual({ blobs: 0, bytes: 0 });
  expect(await names()).toEqual([name]);
});

it('goes through more blobs than one batch of names', async () => {
  for (let index = 0; index < 1050; index += 1) await put(randomBytes(10));
  now += 2 * hour;
  expect(await collect()).toEqual({ blobs: 1050, bytes: 10_500 });
  expect(await names()).toEqual([]);
});

it('removes nothing where a reference cannot be read', async () => {
  const name = await put();
  now += 2 * hour;
  await expect(collectBlobs({ database, blobs, clock: doors.clock, references: ['select gone from nowhere'] })).rejects.toThrow();
  expect(await names()).toEqual([name]);
});
