import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Reply } from '@vouch/platform/conformance/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../packages/recommender/conformance/client.ts';
import { openBrowser } from './harness/openBrowser.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

interface Item {
  source_id: string | null;
  target_id: string;
  reasons: object[];
}

interface Lists {
  code?: string;
  unknown_ids: string[];
  recommendations: Item[];
}

let vouch: RunningVouch;
let server: Client;
/** Client with a publishable key. */
let page: Client;
let pageKey: string;
let pages: Server;
let port: number;

const films = Array.from({ length: 12 }, (_, n) => `f${n}`);
const users = Array.from({ length: 12 }, (_, n) => `u${n}`);
const interactions = 'type,source_id,target_id,timestamp,metadata\n' +
  users.flatMap((user, at) => films.filter((_, film) => (film + at) % 4 < 2).map((film) => `view,${user},${film},,`)).join('\n');
const entities = `id,type,name,metadata,media_url\n${films.map((film, at) => `${film},film,Film ${at},"{""margin"":${at}}",`).join('\n')}`;
const recommend = '/v1/recommender/recommend';
const events = '/v1/recommender/interactions';

beforeAll(async () => {
  // The same pages under two origins: Vouch allows localhost, not 127.0.0.1.
  pages = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title>'));
  await new Promise<void>((resolve) => { pages.listen(0, '127.0.0.1', resolve); });
  port = (pages.address() as AddressInfo).port;
  vouch = await startVouch({ environment: { VOUCH_CORS_ORIGINS: `https://shop.example,http://localhost:${port}` } });
  const { key, organization } = await vouch.createKey();
  server = vouch.client.withKey(key);
  pageKey = (await vouch.createKey({ organization, scopes: ['recommend:publish'] })).key;
  page = vouch.client.withKey(pageKey);
  await server.upload([entities, interactions]);
  expect((await server.trainToEnd({ model_id: 'shop' })).status).toBe('completed');
});

afterAll(async () => {
  await vouch.stop();
  pages.close();
});

const ask = (client: Client, body: object): Promise<Reply> => client.send('POST', recommend, { body: { model_id: 'shop', ...body } });
const related = (client: Client, query: Record<string, string>): Promise<Reply> => client.get('/v1/recommender/related_items', { model_id: 'shop', output_format: 'json', ...query });
const listOf = (reply: Reply): Lists => reply.json<Lists>();
const idsOf = (reply: Reply): string[] => listOf(reply).recommendations.map(({ target_id: id }) => id);

describe('a publishable key', () => {
  it('gets the lists of sessions and items that a full key gets, without reasons', async () => {
    const session = { history: [{ id: 'f0' }, { id: 'f1' }] };
    const [own, full] = [await ask(page, session), await ask(server, session)];
    expect(idsOf(own).length).toBeGreaterThan(0);
    expect(idsOf(own)).toEqual(idsOf(full));
    expect(idsOf(await ask(page, { entity_id: 'f0' }))).toEqual(idsOf(await ask(server, { entity_id: 'f0' })));
    const [items, explained] = [await related(page, { entity_id: 'f0,f1' }), await related(server, { entity_id: 'f0,f1' })];
    expect(idsOf(items)).toEqual(idsOf(explained));
    expect(listOf(explained).recommendations.some(({ reasons }) => reasons.length > 0)).toBe(true);
    const trending = await page.get('/v1/recommender/trending_items', { model_id: 'shop', output_format: 'json' });
    expect(idsOf(trending).length).toBeGreaterThan(0);
    for (const reply of [own, items, trending]) expect(listOf(reply).recommendations.flatMap(({ reasons }) => reasons)).toEqual([]);
    const many = await related(page, { entity_id: films.join(',') });
    expect(listOf(many).recommendations.flatMap(({ reasons }) => reasons)).toEqual([]);
    expect(new Set(listOf(many).recommendations.map(({ source_id: id }) => id))).toEqual(new Set(films));
  });

  it('learns nothing about users: a known, a recent and an unknown user are answered alike', async () => {
    const added = await page.send('POST', events, { body: { interactions: [{ type: 'view', source_id: 'visitor-1', target_id: 'f0' }, { type: 'view', source_id: 'visitor-1', target_id: 'f1' }] } });
    expect([added.status, added.json<object>()]).toEqual([202, { accepted: 2, duplicates: 0 }]);
    await expect.poll(async () => (await ask(server, { entity_id: 'visitor-1' })).status).toBe(200);
    const shape = (reply: Reply, id: string): string => `${reply.status} ${reply.text.replaceAll(id, 'ID').replaceAll(/"(request|recommendation)_id":"[^"]*"/g, '')}`;
    const questions: ((id: string) => Promise<Reply>)[] = [
      (id) => ask(page, { entity_id: id }),
      (id) => ask(page, { entity_id: id, unknown: 'trending' }),
      (id) => ask(page, { entity_id: id, include_seen: true, unknown: 'trending' }),
      (id) => ask(page, { entity_id: id, history: [{ id: 'f2' }] }),
      (id) => ask(page, { entity_id: id, history: [] }),
      (id) => ask(page, { candidates: [id], history: [{ id: 'f2' }] }),
      (id) => ask(page, { pinned: [{ id, position: 1 }] }),
      (id) => related(page, { entity_id: id }),
      (id) => related(page, { entity_id: `f0,${id}` }),
      (id) => related(page, { entity_id: `f0,${id}`, output_format: 'csv' }),
    ];
    for (const [at, question] of questions.entries()) {
      const [known, recent, unknown] = [shape(await question('u0'), 'u0'), shape(await question('visitor-1'), 'visitor-1'), shape(await question('nobody'), 'nobody')];
      expect([known, recent], `question ${at}`).toEqual([unknown, unknown]);
    }
    expect(listOf(await ask(page, { entity_id: 'u0' })).code).toBe('unknown-entity');
    expect((await ask(server, { entity_id: 'u0' })).status).toBe(200);
  });

  it('takes part in an experiment with the id of its visitor, and the list does not depend on the history of that id', async () => {
    const arms = { a: { model_id: 'shop' }, b: { model_id: 'shop', filter: 'item.margin > 3' } };
    expect((await server.send('PUT', '/v1/recommender/experiments/margin', { body: { arms, outcome: ['view'] } })).status).toBe(200);
    const lists = await Promise.all(['u0', 'visitor-1', 'visitor-9', 'visitor-10', 'visitor-11'].map(async (id) => {
      const { experiment, recommendations } = (await ask(page, { model_id: 'margin', entity_id: id, history: [{ id: 'f2' }] })).json<Lists & { experiment: { arm: 'a' | 'b' } }>();
      return [experiment.arm, recommendations.map(({ target_id: target }) => target).join(' ')] as const;
    }));
    for (const arm of ['a', 'b'] as const) expect(new Set(lists.filter((list) => list[0] === arm).map(([, list]) => list)).size).toBeLessThanOrEqual(1);
    expect(lists.every(([, list]) => list !== '')).toBe(true);
  });

  it('is refused what could reveal users or metadata, with the name of the field', async () => {
    const wrong: [Promise<Reply>, string][] = [
      [ask(page, { filter: 'item.margin > 3' }), '/filter'], [ask(page, { boost: 'item.margin' }), '/boost'], [ask(page, { explain: true }), '/explain'],
      [ask(page, { per_group: { column: 'margin', limit: 1 } }), '/per_group'],
      [related(page, {}), 'query:entity_id'], [related(page, { entity_id: 'f0', explain: 'true' }), 'query:explain'],
      [related(page, { entity_id: 'f0', filter: 'item.margin > 3' }), 'query:filter'], [related(page, { entity_id: 'f0', unknown: 'trending' }), 'query:unknown'],
      [page.get('/v1/recommender/trending_items', { boost: 'item.margin' }), 'query:boost'],
      [page.send('POST', events, { body: { interactions: [{ source_id: 'a', target_id: 'f0' }, { source_id: 'b', target_id: 'f0' }] } }), '/interactions/1/source_id'],
    ];
    for (const [reply, location] of wrong) expect((await reply).json<object>(), location).toMatchObject({ status: 403, code: 'publishable-key', errors: [{ location }] });
    expect((await ask(page, { explain: false })).status).toBe(200);
    expect((await server.send('POST', events, { body: { interactions: [{ source_id: 'a', target_id: 'f0' }, { source_id: 'b', target_id: 'f0' }] } })).status).toBe(202);
  });
});

describe('the console session', () => {
  it('never answers a page of another origin', async () => {
    const signIn = await fetch(`${vouch.url}/console/session`, { method: 'POST', headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }, body: JSON.stringify({ key: vouch.key }) });
    const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const asSent = (site: string): Promise<Response> => fetch(`${vouch.url}/v1/recommender/trending_items`, { headers: { cookie, origin: 'https://shop.example', 'sec-fetch-site': site } });
    expect((await (await asSent('same-origin')).json() as { code: string }).code).not.toBe('foreign-page');
    for (const site of ['cross-site', 'same-site']) {
      const answer = await asSent(site);
      expect(await answer.json(), site).toMatchObject({ status: 403, code: 'foreign-page' });
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    }
    const session = await fetch(`${vouch.url}/console/session`, { headers: { cookie, origin: 'https://shop.example' } });
    expect([...session.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

const opened = await openBrowser();
if (typeof opened === 'string') console.warn(`The tests of web pages in a browser are skipped: ${opened}`);

describe.skipIf(typeof opened === 'string')('a page in a browser', () => {
  const browser = opened as Browser;
  let tab: Page;

  beforeAll(async () => { tab = await browser.newPage(); });
  afterAll(() => browser.close());

  /** Sends a request from a page of this origin. Returns status and request id of the answer, or the name of the error. */
  async function send(origin: string, path: string, init: RequestInit = {}): Promise<unknown> {
    await tab.goto(`${origin}/`);
    const request = JSON.stringify([vouch.url + path, { ...init, headers: { apikey: pageKey, ...init.headers } }]);
    return tab.evaluate(`fetch(...${request}).then((answer) => [answer.status, answer.headers.get('x-request-id') !== null], (error) => error.name)`);
  }

  it('of an allowed origin asks and records, also if refused, and of another origin or on another route does neither', async () => {
    const [allowed, other] = [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
    const json = { 'content-type': 'application/json' };
    const list: RequestInit = { method: 'POST', headers: json, body: JSON.stringify({ model_id: 'shop', history: [{ id: 'f0' }] }) };
    const event: RequestInit = { method: 'POST', headers: { ...json, 'idempotency-key': 'e1' }, body: JSON.stringify({ interactions: [{ source_id: 'visitor-2', target_id: 'f0' }] }) };
    expect(await send(allowed, recommend, list)).toEqual([200, true]);
    expect(await send(allowed, events, event)).toEqual([202, true]);
    expect(await send(allowed, recommend, { ...list, body: JSON.stringify({ model_id: 'none', history: [] }) })).toEqual([404, true]);
    expect(await send(allowed, '/v1/recommender/trending_items?model_id=shop')).toEqual([200, true]);
    expect(await send(allowed, '/v1/recommender/models')).toBe('TypeError');
    expect(await send(allowed, recommend, { ...list, credentials: 'include' })).toBe('TypeError');
    expect(await send(other, recommend, list)).toBe('TypeError');
    expect(await send(other, '/v1/recommender/trending_items?model_id=shop')).toBe('TypeError');
  });
});
