import { expectStatus } from '@vouch/platform/conformance/client';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { type Client } from '../../packages/recommender/conformance/client.ts';
import { entitiesCsv, interactionsCsv } from '../../packages/recommender/conformance/sampleData.ts';
import { everybodyWith } from './harness/catalogue.ts';
import { startReceiver, type Receiver } from './harness/receiver.ts';
import { runVouch, startVouch, type MadeKey } from './harness/startVouch.ts';

/** All responses that a user can compare, keyed by the request. */
type Answers = Record<string, string>;

let folder: string;
let backup: string;
let receiver: Receiver;
let external: TestDatabase;
let adminKey: string;
let madeKey: MadeKey;
let before: { admin: Answers; made: Answers };

/** Backs up an installation with an embedded database; the tests restore the backup in other installations. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-backup-'));
  backup = join(folder, 'backup');
  receiver = await startReceiver();
  external = await openTestDatabase({ maxConnections: 2 });
  const vouch = await startVouch({ database: 'embedded', environment: { VOUCH_ALLOW_PRIVATE_ADDRESSES: receiver.address } });
  try {
    const { client } = vouch;
    adminKey = vouch.key;
    madeKey = await vouch.createKey({ scopes: ['data:read', 'model:train', 'model:read', 'recommend:read', 'data:write'] });
    await client.upload([entitiesCsv(), interactionsCsv()], ['films', 'first']);
    await client.train({ model_id: 'films', callback_url: `${receiver.url}/films` });
    await client.trainToEnd({ model_id: 'failed', data_tags: 'nothing' });
    expectStatus(await client.send('POST', '/v1video-summarization/create', { body: { media_url: `${receiver.url}/film` } }), 202);
    const other = client.withKey(madeKey.key);
    await other.upload([everybodyWith(['u', 'v'], ['"a, b"', 'c', 'ü'])], ['others']);
    await other.train({ model_id: 'films' });
    before = { admin: await answersOf(client), made: await answersOf(other) };
    await vouch.run('backup', backup);
    await client.upload([everybodyWith(['late'], ['too-late'])], ['after the backup']);
    expect(JSON.stringify(await answersOf(client))).not.toBe(JSON.stringify(before.admin));
  } finally {
    await vouch.stop();
  }
});

afterAll(async () => {
  await external.close();
  await receiver.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function answersOf(client: Client): Promise<Answers> {
  const replies = {
    batches: await client.batches(),
    status: await client.status('films'),
    related: await client.related({ model_id: 'films' }),
    many: await client.related({ model_id: 'films', max_recommendations: 1000, threshold: '0.1' }),
    trending: await client.trending(),
  };
  for (const reply of Object.values(replies)) expectStatus(reply, 200);
  const { recommendations } = await client.relatedJson({ model_id: 'films' });
  const texts = Object.entries(replies).map(([name, { text }]) => [name, text]);
  return { ...Object.fromEntries(texts) as Answers, json: JSON.stringify(recommendations), failed: await statusOrNone(client) };
}

async function statusOrNone(client: Client): Promise<string> {
  const reply = await client.status('failed');
  return reply.status === 200 ? reply.text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'ADDRESS') : String(reply.status);
}

describe.skipIf(!exhaustive)('a backup of the embedded database, taken beside the running server, and restored into', () => {
  const places = ['an empty folder', 'an external database'];
  it.each(places)('%s, gives the same answers byte for byte to the same keys', async (where) => {
    const data = join(folder, where.replaceAll(' ', '-'));
    const database = where === 'an empty folder' ? ('embedded' as const) : { url: external.connectionString };
    const settings = { VOUCH_DATA: data, ...(database === 'embedded' ? {} : { DATABASE_URL: database.url }) };
    expect(await runVouch(['restore', backup], settings)).toContain('Restored the backup of ');
    expect(await runVouch(['restore', backup], settings)).toContain('An earlier restore had restored the rows of the backup of ');
    const vouch = await startVouch({ database, folder: data, key: adminKey });
    try {
      const made = vouch.client.withKey(madeKey.key);
      expect(await answersOf(vouch.client)).toEqual(before.admin);
      expect(await answersOf(made)).toEqual(before.made);
      const deliveries = (await vouch.client.get('/v1/webhooks/deliveries')).json<{ url: string; status: string }[]>();
      expect(deliveries).toMatchObject([{ url: `${receiver.url}/films`, status: 'delivered' }]);
      // The restored installation also accepts new data and trainings.
      await made.upload([everybodyWith(['w'], ['c', 'd'])], ['others']);
      expect((await made.train({ model_id: 'films' })).serving_version).toBe(2);
    } finally {
      await vouch.stop();
    }
    await expect(runVouch(['restore', backup], settings)).rejects.toThrow(/The database is not empty/);
  });

  it('is readable by its owner alone', async () => {
    expect((await stat(backup)).mode & 0o077).toBe(0);
  });
});
