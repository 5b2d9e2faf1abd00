import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleOf } from '@vouch/platform/testing/exhaustive';
import type { Client, Training } from '../../packages/recommender/conformance/client.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

let vouch: RunningVouch;
let client: Client;

const films = Array.from({ length: 12 }, (_, film) => `f${film},film,,"{""year"":${1990 + 2 * film},""genres"":[""${film % 2 === 0 ? 'drama' : 'horror'}""]}",`);
const users = Array.from({ length: 10 }, (_, user) => `u${user},user,,"{""country"":""${user < 6 ? 'NL' : 'BE'}""}",`);
const views = Array.from({ length: 10 }, (_, user) => Array.from({ length: 6 }, (_, view) => `view,u${user},f${(user + 2 * view + (view >> 2)) % 12},,`)).flat();

beforeAll(async () => {
  vouch = await startVouch();
  ({ client } = vouch);
  await client.upload([`id,type,name,metadata,media_url\n${[...films, ...users].join('\n')}\n`, `type,source_id,target_id,timestamp,metadata\n${views.join('\n')}\n`], []);
});

afterAll(() => vouch.stop());

type Filtered = Training & { data: { filter?: object; interactions: { used: number } }; parameters: { filter?: string } };

it('trains on the items and interactions for which the expression is true, and says in the record what was left out', async () => {
  const filter = 'item.year >= 2000 && user.country == "NL"';
  const record = (await client.train({ model_id: 'new', parameters: { filter } })) as Filtered;
  expect([record.status, record.parameters.filter]).toEqual(['completed', filter]);
  const { used } = record.data.interactions;
  expect(record.data.filter).toEqual({ entities: 5, interactions: new Set(views).size - used, columns: { 'item.year': 'number', 'user.country': 'string' } });
  const targets = new Set((await client.relatedRows({ model_id: 'new' })).map(({ target }) => target));
  expect(targets.size).toBeGreaterThan(3);
  for (let film = 0; film < 5; film += 1) expect(targets).not.toContain(`f${film}`);
  const all = (await client.train({ model_id: 'all' })) as Filtered;
  expect([all.data.filter, all.data.interactions.used > used]).toEqual([undefined, true]);
});

it('counts a new item at once only if the expression is true for it', async () => {
  await client.train({ model_id: 'live', parameters: { filter: 'item.year >= 2000' } });
  const send = await fetch(`${vouch.url}/v1/recommender/entities`, {
    method: 'POST', headers: { apikey: vouch.key, 'content-type': 'application/json' },
    body: JSON.stringify({ entities: [{ id: 'fresh', type: 'film', metadata: { year: 2024, genres: ['drama'] } }, { id: 'stale', type: 'film', metadata: { year: 1960, genres: ['drama'] } }] }),
  });
  expect(send.status).toBe(202);
  await expect.poll(async () => (await client.relatedRows({ model_id: 'live', entity_id: 'f6' })).map(({ target }) => target)).toContain('fresh');
  expect((await client.relatedRows({ model_id: 'live', entity_id: 'f6' })).map(({ target }) => target)).not.toContain('stale');
});

it.each([
  ['syntax', 'item.year >=', /filter cannot be used: .*not valid CEL/],
  ['size', `item.year in [${Array.from({ length: 501 }, (_, year) => year).join()}]`, /too large: .* 500 parts/],
])('refuses a fault of %s at once, at its place in the request', async (_, filter, sentence) => {
  const paths = [['POST', 'train', { model_id: 'refused', parameters: { filter } }], ['PUT', 'schedules/refused', { cron: '0 3 * * *', parameters: { filter } }]] as const;
  for (const [method, path, body] of paths) {
    const answer = await fetch(`${vouch.url}/v1/recommender/${path}`, { method, headers: { apikey: vouch.key, 'content-type': 'application/json' }, body: JSON.stringify(body) });
    expect([answer.status, await answer.json()]).toEqual([422, expect.objectContaining({ code: 'invalid-expression', detail: expect.stringMatching(sentence), errors: [expect.objectContaining({ location: '/parameters/filter' })] })]);
  }
});

it.each(sampleOf([
  ['an unknown column', 'item.yaer > 2000', 'invalid-expression', /the data has no column "item.yaer". The nearest column is item.year/],
  ['types that do not fit', 'item.genres == 3', 'invalid-expression', /./],
  ['nothing left', 'item.year > 3000', 'no-usable-data', /The filter "item.year > 3000" leaves none of the \d+ pairs/],
] as const, 1))('ends a training with a sentence for %s', async (_, filter, code, sentence) => {
  const record = await client.trainToEnd({ model_id: 'failed', parameters: { filter } });
  expect([record.status, record.error]).toEqual(['error', expect.objectContaining({ code, detail: expect.stringMatching(sentence) })]);
});
