import { randomUUID } from 'node:crypto';
import { createJobQueue } from '@vouch/platform/jobs/queue';
import { createLogger } from '@vouch/platform/log/logger';
import { checkUrl } from '@vouch/platform/outbound/guard';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Platform } from '@vouch/platform/product/product';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { startTestServer, type TestServer } from '@vouch/platform/testing/testServer';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertBatches } from '../batches/batchStore.ts';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { trainRoute } from '../models/train.route.ts';
import type { StartedBy } from '../models/training/startedBy.schema.ts';
import { scheduleRoutes } from './schedules.route.ts';
import { startDueTrainings, type SchedulePlatform } from './startDueTrainings.ts';

const key = 'acme:model:read,model:train';
let database: TestDatabase;
let at: TestServer;
let platform: SchedulePlatform;
let now = Date.parse('2026-03-02T12:00:00Z');

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [{ product: 'recommender', folder: new URL('../migrations/', import.meta.url) }] });
  const clock = { ...systemInterfaces.clock, now: () => now };
  platform = { clock, database, jobs: createJobQueue(database, systemInterfaces), log: createLogger('silent'), publicUrl: 'http://vouch.test' };
  const webhooks = { checkUrl: (url: string) => void checkUrl(url, false) } as unknown as Platform['webhooks'];
  at = await startTestServer(database, { errors: [recommenderErrors], routes: [(server) => {
    scheduleRoutes(server, { clock, database, webhooks }, {});
    trainRoute(server, { webhooks } as unknown as Platform, {});
  }] });
});

afterAll(async () => {
  await at.server.close();
  await database.close();
});

interface Answer {
  code?: string;
  detail?: string;
  next_run_at?: string | null;
  last_run_at?: string | null;
  new_interactions?: number | null;
}

async function call<Body = Answer>(method: string, modelId: string, body?: object): Promise<{ status: number; body: Body }> {
  const answer = await fetch(`${at.url}/v1/recommender/schedules${modelId}`, {
    method, headers: { apikey: key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }, body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() as Body };
}

/** Why the trainings of a model were started, the oldest first. */
async function started(modelId: string): Promise<(StartedBy | null)[]> {
  const { rows } = await database.query<{ schedule: StartedBy | null }>('SELECT schedule FROM trainings WHERE model_id = $1 ORDER BY created_at', [modelId]);
  return rows.map(({ schedule }) => schedule);
}

/** Lets several servers check their schedules at the same time. */
async function check(): Promise<void> {
  await Promise.all([startDueTrainings(platform), startDueTrainings(platform), startDueTrainings(platform)]);
}

async function receive(tags: string, kinds: readonly string[]): Promise<void> {
  for (const kind of kinds) {
    await database.query(
      `INSERT INTO events (organization_id, kind, received_at, tags, after_batch, target_id) VALUES ('acme', $1, now(), $2, 0, 'x')`, [kind, tags]);
  }
}

it('starts one training for a due time, on several servers, after times that were missed, and while a training is not complete', async () => {
  expect(await call('PUT', '/films', { cron: '0 3 * * *', timezone: 'Europe/Berlin' })).toMatchObject({
    status: 200, body: { next_run_at: '2026-03-03T02:00:00.000Z', new_interactions: null, last_run_at: null },
  });
  await check();
  expect(await started('films')).toEqual([]);
  now = Date.parse('2026-03-06T02:00:30Z');
  await check();
  expect(await started('films')).toEqual([{ cron: '0 3 * * *', due_at: '2026-03-03T02:00:00.000Z', new_interactions: 0 }]);
  expect((await call('GET', '/films')).body).toMatchObject({ next_run_at: '2026-03-07T02:00:00.000Z', last_run_at: '2026-03-06T02:00:30.000Z' });
  now = Date.parse('2026-03-08T10:00:00Z');
  await check();
  expect(await started('films')).toHaveLength(1);
  await database.query('DELETE FROM jobs');
  await check();
  expect((await started('films'))[1]).toMatchObject({ due_at: '2026-03-07T02:00:00.000Z' });
  await database.query('DELETE FROM jobs');
  // A server whose clock is behind.
  now = Date.parse('2026-03-08T09:59:00Z');
  await check();
  expect(await started('films')).toHaveLength(2);
});

it('starts a training after the number of new interactions with the tags, and counts each once', async () => {
  await receive('{shop}', ['interaction']);
  await call('PUT', '/shop', { after_interactions: 3, data_tags: 'shop', publish: 'unless-worse' });
  await receive('{shop}', ['interaction', 'entity', 'interaction']);
  await receive('{other}', ['interaction']);
  await check();
  expect((await call('GET', '/shop')).body).toMatchObject({ new_interactions: 2, next_run_at: null, parameters: { data_tags: ['shop'], publish: 'unless-worse' } });
  expect(await started('shop')).toEqual([]);
  await receive('{shop,other}', ['interaction', 'interaction']);
  await check();
  expect(await started('shop')).toEqual([{ cron: null, due_at: null, new_interactions: 4 }]);
  await check();
  expect((await call('GET', '/shop')).body).toMatchObject({ new_interactions: 0 });
});

it('counts uploaded interactions with the tags like events, and interactions of folded events once', async () => {
  await call('PUT', '/csv', { after_interactions: 50, data_tags: 'csv' });
  const insert = (kind: 'entity' | 'interaction', rows: number, tags: string[], afterBatch?: number) => database.transaction((transaction) => insertBatches(
    transaction, 'acme', { batches: [{ batchId: randomUUID(), kind, blob: 'blob', rows, csvBytes: 1 }], tags, at: new Date(now), ...(afterBatch === undefined ? {} : { afterBatch }) }));
  await insert('interaction', 30, ['csv', 'more']);
  await insert('interaction', 1_000, ['other']);
  await insert('entity', 1_000, ['csv']);
  await insert('interaction', 1_000, ['csv'], 0);
  await receive('{csv}', ['interaction']);
  await check();
  expect((await call('GET', '/csv')).body).toMatchObject({ new_interactions: 31 });
  await insert('interaction', 19, ['csv']);
  await check();
  expect(await started('csv')).toEqual([{ cron: null, due_at: null, new_interactions: 50 }]);
  expect((await call('GET', '/csv')).body).toMatchObject({ new_interactions: 0 });
});

it('lists, replaces and deletes schedules', async () => {
  await call('PUT', '/b', { cron: '0 3 * * 1' });
  await call('PUT', '/a', { after_interactions: 10 });
  await call('PUT', '/b', { cron: '0 4 * * 1', after_interactions: 5 });
  const { body } = await call<{ model_id: string; cron: string | null }[]>('GET', '');
  expect(body.filter(({ model_id: id }) => id.length === 1).map(({ model_id: id, cron }) => [id, cron])).toEqual([['a', null], ['b', '0 4 * * 1']]);
  expect(await call('DELETE', '/b')).toMatchObject({ status: 200, body: { cron: '0 4 * * 1', after_interactions: 5 } });
  expect(await call('DELETE', '/b')).toMatchObject({ status: 404, body: { code: 'unknown-schedule' } });
});

it('refuses a schedule that cannot start a training, with the reason', async () => {
  const cases: [object, number, RegExp][] = [
    [{}, 400, /Neither cron nor after_interactions/],
    [{ cron: 'daily' }, 422, /cron is "daily", which is not a cron expression: it has 1 field\. An expression has five fields/],
    [{ cron: '0 0 3 * * *' }, 422, /it has 6 fields/],
    [{ cron: '61 3 * * *' }, 422, /not a cron expression: .*61/],
    [{ cron: '0 0 31 2 *' }, 422, /never due/],
    [{ cron: '0 3 * * *', timezone: 'Mars/Olympus' }, 422, /not an IANA time zone/],
    [{ after_interactions: 0 }, 422, /after_interactions/],
  ];
  for (const [body, status, detail] of cases) {
    expect(await call('PUT', '/bad', body), JSON.stringify(body)).toMatchObject({ status, body: { detail: expect.stringMatching(detail) as string } });
  }
  expect((await call('GET', '/bad')).status).toBe(404);
  // Its status would be the schedule of a model named "status".
  expect(await call('PUT', '/schedules', { cron: '0 3 * * *' })).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/"schedules".*reserved for other URLs/) as string } });
});

it.each([
  ['PUT', '/v1/recommender/schedules/films', { after_interactions: 5 }], ['POST', '/v1/recommender/train', {}],
])('%s %s refuses a callback_url that must not be called, and names the field', async (method, path, options) => {
  for (const [url, why] of [['films', 'not a complete URL'], ['ftp://a.example/', 'scheme ftp'], ['http://127.0.0.1/', 'not allowed']]) {
    const body = JSON.stringify({ ...options, callback_url: url });
    const sent: RequestInit = { method, headers: { apikey: key, 'content-type': 'application/json' }, body };
    const answer = await fetch(at.url + path, sent);
    const problem = await answer.json() as Answer & { errors?: { location: string }[] };
    expect([answer.status, problem.code, problem.errors?.map(({ location }) => location)]).toEqual([422, 'address-refused', ['/callback_url']]);
    expect(problem.detail).toMatch(new RegExp(`^callback_url: .*${why}`));
  }
});
