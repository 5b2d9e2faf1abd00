import { randomUUID } from 'node:crypto';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { startTestServer, type TestServer } from '@vouch/platform/testing/testServer';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Evaluation } from '../engine/data/trainedModel.ts';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { findServing, findTraining } from './modelStore.ts';
import { versionRoutes } from './versions.route.ts';
import { publishVersion } from './versions/publishVersion.ts';

const organizationId = 'acme';
const key = 'acme:model:read,model:train';
let database: TestDatabase;
let at: TestServer;
/** The version that a route last waited for, and the version that served at that time. */
let required: unknown[] = [];

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [{ product: 'recommender', folder: new URL('../migrations/', import.meta.url) }] });
  at = await startTestServer(database, {
    errors: [recommenderErrors],
    routes: [(server) => versionRoutes(server, { database }, { require: async (...wanted) => { await new Promise((later) => setTimeout(later, 100)); required = [...wanted, await findServing(database, organizationId, wanted[1])]; } })],
  });
});

afterAll(async () => {
  await at.server.close();
  await database.close();
});

function metricsOf(recall: number): Evaluation {
  const estimate = (value: number) => ({ value, low: value - 0.01, high: value + 0.01 });
  const metrics = { 'recall@20': estimate(recall), 'ndcg@20': estimate(recall) };
  return { ...metrics, coverage: 1, popularity: metrics, 'item-knn': metrics, users: 100, verdict: 'not better than popularity yet' };
}

/** Completes a training of a model. @returns the training */
async function complete(modelId: string, recall: number, more: { publish?: 'unless-worse'; kept?: number } = {}): Promise<Awaited<ReturnType<typeof findTraining>>> {
  const jobId = randomUUID();
  const { publish, kept = 3 } = more;
  const parameters = { setting: 'auto' as const, seed: 1, data_tags: [], maximum_interaction_age_days: null, ...(publish === undefined ? {} : { publish }) };
  await database.query('INSERT INTO trainings (job_id, organization_id, model_id, parameters) VALUES ($1, $2, $3, $4)', [
    jobId, organizationId, modelId, JSON.stringify(parameters),
  ]);
  await database.query('INSERT INTO models VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [organizationId, modelId, jobId]);
  const data = { interactions: { with_timestamp: 0 } } as Parameters<typeof publishVersion>[2]['data'];
  await database.transaction((transaction) =>
    publishVersion(transaction, organizationId, { jobId, modelId, blob: `blob of ${jobId}`, parameters, metrics: metricsOf(recall), data }, kept));
  return findTraining(database, organizationId, modelId, jobId);
}

async function call<Body>(method: string, path: string, body?: object, apikey = key): Promise<{ status: number; body: Body }> {
  const answer = await fetch(`${at.url}/v1/recommender/${path}`, {
    method, headers: { apikey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }, body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() as Body };
}

async function list(modelId: string): Promise<[version: number, serving: boolean][]> {
  const { body } = await call<{ version: number; serving: boolean }[]>('GET', `${modelId}/versions`);
  return body.map(({ version, serving }) => [version, serving]);
}

it('keeps the newest versions, and serves an earlier version after a rollback until the next training', async () => {
  for (let training = 0; training < 5; training += 1) await complete('films', 0.2);
  expect(await list('films')).toEqual([[5, true], [4, false], [3, false]]);
  expect(await call('POST', 'films/rollback', {})).toMatchObject({ status: 200, body: { model_id: 'films', version: 4, serving: true } });
  expect(await list('films')).toEqual([[5, false], [4, true], [3, false]]);
  const { rows } = await database.query<{ blob: string }>('SELECT blob FROM model_versions WHERE model_id = $1 AND version = 4', ['films']);
  expect(await findServing(database, organizationId, 'films')).toMatchObject({ version: 4, blob: rows[0]?.blob });
  expect((await complete('films', 0.2))?.comparison).toMatchObject({ version: 6, with_version: 4, verdict: 'no measurable difference', serves: true });
  expect(await list('films')).toEqual([[6, true], [5, false], [4, false]]);
});

it('answers a rollback when queries of this server get the version', async () => {
  for (let training = 0; training < 2; training += 1) await complete('back', 0.2);
  required = [];
  expect(await call('POST', 'back/rollback', {})).toMatchObject({ status: 200, body: { version: 1 } });
  expect(required).toEqual([organizationId, 'back', 1, expect.objectContaining({ version: 1 })]);
});

it('keeps the version that serves, however old it is', async () => {
  for (let training = 0; training < 3; training += 1) await complete('old', 0.2, { kept: 2 });
  await call('POST', 'old/rollback', { version: 2 });
  for (let training = 0; training < 3; training += 1) await complete('old', 0.1, { kept: 2, publish: 'unless-worse' });
  expect(await list('old')).toEqual([[6, false], [5, false], [3, false], [2, true]]);
});

it('warns of a version that is worse, and serves it unless the training said otherwise', async () => {
  await complete('shop', 0.2);
  const kept = await complete('shop', 0.1, { publish: 'unless-worse' });
  expect(kept).toMatchObject({ servingVersion: 1, comparison: { version: 2, verdict: 'worse', serves: false } });
  expect(kept?.warnings[0]).toMatchObject({ code: 'worse-than-serving', detail: expect.stringMatching(/so version 1 continues to serve.*"version": 2/) as string });
  const served = await complete('shop', 0.1);
  expect(served).toMatchObject({ servingVersion: 3, comparison: { version: 3, with_version: 1, verdict: 'worse', serves: true } });
  expect(served?.warnings[0]?.detail).toMatch(/^Version 3 is worse and serves; POST \/v1\/recommender\/shop\/rollback with \{"version": 1\}/);
  expect(await call('POST', 'shop/rollback', { version: 2 })).toMatchObject({ status: 200, body: { version: 2 } });
});

it('keeps the version that a worse version replaced, however many versions were kept without serving, and rolls back to it', async () => {
  await complete('kept', 0.2, { kept: 2 });
  for (let training = 0; training < 3; training += 1) await complete('kept', 0.1, { kept: 2, publish: 'unless-worse' });
  await complete('kept', 0.1, { kept: 2 });
  expect(await list('kept')).toEqual([[5, true], [4, false], [3, false], [1, false]]);
  expect((await call('POST', 'kept/rollback', {})).body).toMatchObject({ version: 1 });
});

it('names the kept versions if a version does not exist', async () => {
  await complete('few', 0.2);
  const none = await call<{ code: string; detail: string }>('POST', 'few/rollback', {});
  expect([none.status, none.body.code]).toEqual([404, 'unknown-version']);
  expect(none.body.detail).toMatch(/no kept version that served before the current one\. The kept versions are 1; version 1 serves\./);
  expect((await call('POST', 'few/rollback', { version: 9 })).body).toMatchObject({ code: 'unknown-version', detail: expect.stringMatching(/no version 9\./) as string });
  expect((await call('POST', 'few/rollback', { version: 0 })).status).toBe(422);
  for (const [method, path] of [['GET', 'few/versions'], ['POST', 'few/rollback']] as const) {
    expect(await call(method, path, method === 'POST' ? {} : undefined, 'other:model:read,model:train')).toMatchObject({ status: 404, body: { code: 'unknown-model' } });
  }
});

it('numbers versions once if trainings and rollbacks end at the same time', async () => {
  await complete('busy', 0.2);
  await Promise.all([complete('busy', 0.2, { kept: 9 }), call('POST', 'busy/rollback', { version: 1 }), complete('busy', 0.2, { kept: 9 })]);
  const versions = await list('busy');
  expect(versions.map(([version]) => version)).toEqual([3, 2, 1]);
  expect(versions.filter(([, serving]) => serving)).toHaveLength(1);
});
