import { createHash } from 'node:crypto';
import { chmod, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { openStore } from '@vouch/platform/blobs/storeOwner';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { openLinkSigner } from '@vouch/platform/http/linkSecret';
import type { Finding } from '@vouch/platform/product/findings';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfiguration } from '../wiring/configuration.ts';
import { openPlatform, type OpenPlatform } from '../wiring/openPlatform.ts';
import { storeOf } from '../wiring/storeOwnership.ts';
import { platformChecks } from './platformChecks.ts';

let folder: string;
let database: TestDatabase;
let platform: OpenPlatform;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-doctor-'));
  database = await openTestDatabase();
  const configuration = readConfiguration({ VOUCH_DATA: folder, DATABASE_URL: database.connectionString, VOUCH_LOG_LEVEL: 'silent' });
  platform = await openPlatform({ configuration, publicUrl: '', tables: 'migrate' });
});
afterEach(async () => {
  await platform.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const findings = async (): Promise<Finding[]> => await platformChecks(platform).find(({ name }) => name === 'blobs')?.run() ?? [];
const put = async (): Promise<string> => (await platform.blobs.putStream(Readable.from(['content']))).name;

it('doctor finds nothing where the store is the database’s own, also after the first signed link', async () => {
  await openStore(storeOf(platform));
  await put();
  await openLinkSigner(database, platform);
  expect(await findings()).toEqual([{ status: 'ok', detail: `the folder ${join(folder, 'blobs')} can be written and read` }]);
});

it('doctor says how much waits to be removed', async () => {
  await database.query(`INSERT INTO blob_tombstones VALUES ('sha256-a', 3100000000, now()), ('sha256-b', 1, now())`);
  expect(await findings()).toContainEqual({ status: 'ok', detail: '2 files that nothing names any more (3.1 GB) are removed within a day' });
});

it('doctor says of a store without an owner which file is in the way, and what to do', async () => {
  const name = await put();
  await writeFile(join(folder, 'blobs', 'owner'), createHash('sha256').update('owner of blobs ').digest('hex'));
  expect(await findings()).toContainEqual({
    status: 'warning', code: 'store-unowned', detail: expect.stringContaining(name) as string, remedy: expect.stringContaining('vouch blobs claim') as string,
  });
});

it('doctor says of a store that a copy of the database uses what to do', async () => {
  await openStore(storeOf(platform));
  await database.query('UPDATE installation SET turn = gen_random_uuid(), next_turn = gen_random_uuid()');
  expect(await findings()).toContainEqual({
    status: 'warning', code: 'store-disputed', detail: expect.stringContaining('another copy of this database') as string, remedy: expect.stringContaining('vouch blobs claim') as string,
  });
});

it('doctor names a file whose content is damaged, and one that is missing', async () => {
  await openStore(storeOf(platform));
  const names: string[] = [];
  for (const content of ['kept whole', 'cut off', 'removed']) {
    const { name } = await platform.blobs.putStream(Readable.from([content]));
    names.push(name);
    await database.query(
      `INSERT INTO batches (batch_id, kind, blob, row_count, csv_bytes, organization_id, tags, created_at) VALUES (gen_random_uuid(), 'entity', $1, 1, 1, 'o', '{}', now())`, [name],
    );
  }
  const [whole = '', cut = '', removed = ''] = names;
  const path = await platform.blobs.localPath(cut);
  await chmod(path, 0o600);
  await truncate(path, 3);
  await platform.blobs.remove(removed);
  const found = await findings();
  expect(found).toContainEqual({
    status: 'fault', code: 'files-damaged', detail: expect.stringMatching(new RegExp(`^of 2 files .* 1 .* ${cut}$`)) as string, remedy: expect.stringMatching(/backup.*train the model again/) as string,
  });
  expect(found).toContainEqual({ status: 'fault', code: 'files-missing', detail: expect.stringContaining(removed) as string, remedy: expect.any(String) as string });
  expect(JSON.stringify(found)).not.toContain(whole);
});

it('doctor names the receivers of callbacks that fail again and again, or were given up', async () => {
  const run = async (): Promise<Finding[]> => await platformChecks(platform).find(({ name }) => name === 'callbacks')?.run() ?? [];
  const insert = (id: string, status: string, failures: number, reason: string | null) => database.query(
    `INSERT INTO webhook_deliveries (id, organization_id, url, host, type, body, status, failures, attempts, last_error, next_attempt_at, ended_at, give_up_at, created_at)
     VALUES (('00000000-0000-4000-8000-00000000000' || $1)::uuid, 'default', 'https://a.example/secret', $2, 't', '{}', $3, $4, $4, $5, CASE WHEN $3 = 'pending' THEN now() END, CASE WHEN $3 <> 'pending' THEN now() END, now(), now())`,
    [id, id === '3' ? 'b.example' : 'a.example', status, failures, reason]);
  await insert('1', 'pending', 2, 'the receiver answered 500');
  await insert('2', 'delivered', 0, null);
  expect(await run()).toEqual([{ status: 'ok', detail: 'last 7 days: 1 delivered, 1 pending, 0 given up' }]);
  await database.query(`UPDATE webhook_deliveries SET failures = 3 WHERE status = 'pending'`);
  await insert('3', 'pending', 5, 'b.example refuses connections');
  expect(await run()).toMatchObject([{
    code: 'callbacks-failing', status: 'warning',
    detail: '2 pending callbacks, of each of which 3 attempts or more have failed: 1 to a.example (the receiver answered 500), 1 to b.example (b.example refuses connections)',
  }]);
  await database.query(`UPDATE webhook_deliveries SET status = 'given_up', next_attempt_at = NULL, ended_at = now() WHERE host = 'b.example'`);
  expect(await run()).toMatchObject([
    { code: 'callbacks-failing', detail: '1 pending callback, of which 3 attempts or more have failed: 1 to a.example (the receiver answered 500)' },
    { code: 'callbacks-given-up', detail: 'last 7 days: 1 delivered, 1 pending, 1 given up: 1 to b.example (b.example refuses connections)' },
  ]);
});
