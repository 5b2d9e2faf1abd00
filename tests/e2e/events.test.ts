import { afterAll, beforeAll, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import type { Client } from '../../packages/recommender/conformance/client.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

let vouch: RunningVouch;
let client: Client;

/** Twelve users of two tastes. */
const rows = Array.from({ length: 12 }, (_, user) => Array.from({ length: 8 }, (_, item) => (item === user % 8 ? '' : `view,u${user},${user % 2 === 0 ? 'red' : 'blue'}-${item},,`))).flat().filter((row) => row !== '');

beforeAll(async () => {
  vouch = await startVouch();
  ({ client } = vouch);
  await client.upload([`type,source_id,target_id,timestamp,metadata\n${rows.join('\n')}\n`], []);
  expect((await client.train({ model_id: 'm' })).status).toBe('completed');
});

afterAll(() => vouch.stop());

const listOf = async (id: string): Promise<string[]> => (await client.relatedRows({ model_id: 'm', entity_id: id })).map(({ target }) => target);

it('serves a new user after the first event, hides a deleted item, and trains on the events', async () => {
  expect((await client.related({ model_id: 'm', entity_id: 'new' })).status).toBe(404);
  const sent = await client.send('POST', '/v1/recommender/interactions', { body: { interactions: [{ type: 'view', source_id: 'new', target_id: 'red-1' }] } });
  expect([sent.status, sent.json()]).toEqual([202, { accepted: 1, duplicates: 0 }]);
  await expect.poll(async () => (await client.related({ model_id: 'm', entity_id: 'new' })).status, { timeout: 120_000 }).toBe(200);
  const first = await listOf('new');
  expect(first.slice(0, 6).every((id) => id.startsWith('red-') && id !== 'red-1'), first.join()).toBe(true);

  const similar = await client.get('/v1/recommender/similar_users', { model_id: 'm', entity_id: 'new', max_recommendations: '3' });
  expect(similar.json()).toMatchObject({ source_id: 'new', similar_users: [1, 2, 3].map((rank) => ({ id: expect.stringMatching(/^u\d*[02468]$/) as string, rank, ids: ['red-1'], text: 'Both chose “red-1”.' })) });
  const ofItem = await client.get('/v1/recommender/similar_users', { entity_id: 'red-1' });
  expect([ofItem.status, ofItem.json<{ detail: string }>().detail]).toEqual([422, expect.stringMatching(/"red-1", which has no interactions of its own/)]);

  const gone = first[0] ?? '';
  expect((await client.send('DELETE', `/v1/recommender/entities/${gone}`)).status).toBe(202);
  await expect.poll(async () => (await listOf('new')).includes(gone), { timeout: 120_000 }).toBe(false);
  expect(await listOf('u2')).not.toContain(gone);

  const record = await client.train({ model_id: 'm' });
  expect(record.data).toMatchObject({ batches: 2, interactions: { rows: rows.length + 1 } });
  const trained = await listOf('new');
  expect(trained).not.toContain('red-1');
  expect(trained).not.toContain(gone);
  expect(trained.length).toBeGreaterThan(3);
});

exhaustiveTest('serves an entity that no training knows by its metadata, until it is deleted', async () => {
  const metadata = (number: number): string => `"{""colour"":""${number % 2 === 0 ? 'red' : 'blue'}""}"`;
  const shop = client.withKey((await vouch.createKey()).key);
  const items = Array.from({ length: 16 }, (_, number) => `${number % 2 === 0 ? 'red' : 'blue'}-${number >> 1},toy,,${metadata(number)},`);
  await shop.upload([`id,type,name,metadata,media_url\n${items.join('\n')}\n`, `type,source_id,target_id,timestamp,metadata\n${rows.join('\n')}\n`], []);
  expect((await shop.train({ model_id: 'toys' })).status).toBe('completed');
  const listed = async (id: string): Promise<string[]> => (await shop.relatedRows({ model_id: 'toys', entity_id: id })).map((row) => row.target);
  expect((await shop.send('POST', '/v1/recommender/entities', { body: { entities: [{ id: 'fresh', type: 'toy', metadata: { colour: 'red' } }] } })).status).toBe(202);
  await expect.poll(() => listed('red-1'), { timeout: 120_000 }).toContain('fresh');
  expect((await listed('fresh')).slice(0, 4).every((id) => id.startsWith('red-'))).toBe(true);
  expect(await listed('u2')).toContain('fresh');
  expect((await shop.send('DELETE', '/v1/recommender/entities/fresh')).status).toBe(202);
  await expect.poll(() => listed('red-1'), { timeout: 120_000 }).not.toContain('fresh');
});

exhaustiveTest('counts an uploaded file in histories at once, until its batch is deleted, and once after a training', async () => {
  const shop = client.withKey((await vouch.createKey()).key);
  await shop.upload([`type,source_id,target_id,timestamp,metadata\n${rows.join('\n')}\n`], []);
  expect((await shop.train({ model_id: 'm' })).status).toBe('completed');
  const status = async (id: string): Promise<number> => (await shop.related({ model_id: 'm', entity_id: id })).status;
  const listed = async (id: string): Promise<string[]> => (await shop.relatedRows({ model_id: 'm', entity_id: id })).map(({ target }) => target);
  const send = (...lines: string[]) => shop.upload([`type,source_id,target_id,timestamp,metadata\n${lines.join('\n')}\n`], []);
  expect(await status('late')).toBe(404);
  const [seen = ''] = await listed('u2');
  const [batch] = await send('view,gone,red-1,,');
  await send('view,late,red-1,,', `view,u2,${seen},,`);
  for (const id of ['late', 'gone']) await expect.poll(() => status(id), { timeout: 120_000 }).toBe(200);
  const list = await listed('late');
  expect(list.slice(0, 6).every((id) => id.startsWith('red-') && id !== 'red-1'), list.join()).toBe(true);
  expect(await listed('u2')).not.toContain(seen);
  await shop.send('DELETE', `/v1/recommender/data_batch?batch_id=${batch?.batch_id}`);
  await expect.poll(() => status('gone'), { timeout: 120_000 }).toBe(404);
  expect((await shop.train({ model_id: 'm' })).data).toMatchObject({ interactions: { rows: rows.length + 2 } });
  expect(await status('gone')).toBe(404);
  const [first] = (await shop.send('POST', '/v1/recommender/recommend', { body: { model_id: 'm', entity_id: 'late', explain: true } })).json<{ recommendations: object[] }>().recommendations;
  expect(first).toMatchObject({ reasons: [{ kind: 'history', ids: ['red-1'], share: 1 }] });
  for (const id of ['late', 'u2']) expect(await listed(id)).not.toContain(id === 'late' ? 'red-1' : seen);
});

it('shows no event to another organization', async () => {
  const other = client.withKey((await vouch.createKey()).key);
  await other.upload([`type,source_id,target_id,timestamp,metadata\n${rows.join('\n')}\n`], []);
  await other.train({ model_id: 'm' });
  expect((await other.related({ model_id: 'm', entity_id: 'new' })).status).toBe(404);
});
