import type { Platform } from '@vouch/platform/product/product';
import { createJobQueue } from '@vouch/platform/jobs/queue';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { startTestServer, type TestServer } from '@vouch/platform/testing/testServer';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recommenderErrors } from '../../errors/recommenderErrors.ts';
import { scheduleRoutes } from '../../schedules/schedules.route.ts';
import { trainRoute } from '../train.route.ts';

let database: TestDatabase;
let at: TestServer;

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [{ product: 'recommender', folder: new URL('../../migrations/', import.meta.url) }] });
  const platform = { ...systemInterfaces, database, jobs: createJobQueue(database, systemInterfaces), publicUrl: 'http://vouch.test' } as unknown as Platform;
  const settings = { spark_submit: 'spark-submit --master local' };
  at = await startTestServer(database, { errors: [recommenderErrors], routes: [(server) => trainRoute(server, platform, settings), (server) => scheduleRoutes(server, platform, settings)] });
});

afterAll(async () => {
  await at.server.close();
  await database.close();
});

async function send(method: string, path: string, body: object): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${at.url}/v1/recommender/${path}`, { method, headers: { apikey: 'acme:model:train', 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

it('refuses the filter of a training on Spark when it is requested or scheduled, and stores nothing', async () => {
  const parameters = { filter: 'item.price < 3' };
  const refused = { status: 422, body: { code: 'invalid-parameter', detail: expect.stringContaining('VOUCH_SPARK_SUBMIT'), errors: [{ location: '/parameters/filter', value: 'item.price < 3' }] } };
  expect(await send('POST', 'train', { model_id: 'films', parameters })).toMatchObject(refused);
  expect(await send('PUT', 'schedules/films', { cron: '0 3 * * *', parameters })).toMatchObject(refused);
  expect(await send('POST', 'train', { parameters: { filter: 'item.price <' } })).toMatchObject({ status: 422, body: { code: 'invalid-expression' } });
  const { rows } = await database.query('SELECT 1 FROM trainings UNION ALL SELECT 1 FROM schedules');
  expect(rows).toEqual([]);
  expect(await send('POST', 'train', { model_id: 'films' })).toMatchObject({ status: 202 });
});
