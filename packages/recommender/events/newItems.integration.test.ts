import type { Background } from '@vouch/platform/process/repeat';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { RuleServers } from '../testing/ruleServers.ts';
import { eventRoutes } from './eventRoutes.ts';
import { EventFollower, followEvents } from './followEvents.ts';

interface Lists {
  recommendations: { target_id: string; reasons: { kind: string; field?: string; value?: string }[] }[];
}

let servers: RuleServers;
const following: Background[] = [];

beforeAll(async () => {
  servers = await RuleServers.start(2, (server, platform, { recent, models }) => {
    eventRoutes(server, platform, recent, models);
    following.push(followEvents(platform, new EventFollower(platform, recent)));
    return null;
  });
  await servers.publish('shop');
});
afterAll(async () => {
  await Promise.all(following.map((each) => each.stop()));
  await servers.close();
});

const send = async (entity: object): Promise<void> => {
  const { status } = await servers.call('POST', 'entities', { entities: [{ type: 'film', ...entity }] });
  expect(status).toBe(202);
};
const answer = (body: object, server: number) => servers.call<Lists>('POST', 'recommend', { model_id: 'shop', explain: true, ...body }, { server });
const listed = async (body: object, server: number): Promise<string[]> => (await answer(body, server)).body.recommendations.map(({ target_id: id }) => id);

it('puts a new entity into the lists of items, users and sessions of all servers, and takes a deleted one out', async () => {
  expect((await answer({ entity_id: 'fresh' }, 1)).status).toBe(404);
  await send({ id: 'fresh', name: 'A fresh film', metadata: { genre: 'genre 1', price: 20 } });
  for (const server of [0, 1]) {
    await vi.waitFor(async () => expect(await listed({ entity_id: 'film 001' }, server)).toContain('fresh'), { timeout: 120_000 });
    expect(await listed({ history: [{ id: 'film 001' }, { id: 'film 005' }] }, server)).toContain('fresh');
    expect(await listed({ entity_id: 'user 001' }, server)).toContain('fresh');
    const own = (await answer({ entity_id: 'fresh' }, server)).body.recommendations;
    expect(own.slice(0, 10).map(({ target_id: id }) => Number(id.slice(5)) % 4)).toEqual(Array.from({ length: 10 }, () => 1));
    expect(own[0]?.reasons).toContainEqual(expect.objectContaining({ kind: 'attribute', field: 'genre', value: 'genre 1' }));
    expect(await listed({ entity_id: 'film 001', filter: 'item.price == 20.0' }, server)).toContain('fresh');
    expect(await listed({ entity_id: 'film 001', filter: 'item.price > 20.0' }, server)).not.toContain('fresh');
  }
  expect(await listed({ entity_id: 'fresh' }, 0)).toEqual(await listed({ entity_id: 'fresh' }, 1));
  await servers.call('DELETE', 'entities/fresh', undefined, { server: 1 });
  for (const server of [1, 0]) await vi.waitFor(async () => expect(await listed({ entity_id: 'film 001' }, server)).not.toContain('fresh'), { timeout: 120_000 });
});

it('warns of events that contradict the roles and types of the models in use, and stores them', async () => {
  await answer({ entity_id: 'film 001' }, 0);
  const warned = async (route: string, body: object, options: object = {}): Promise<[string, string][]> => {
    const { status, body: { warnings = [] } } = await servers.call<{ warnings?: { code: string; detail: string }[] }>('POST', route, body, options);
    expect(status).toBe(202);
    return warnings.map(({ code, detail }) => [code, detail.split('. ')[0] ?? '']);
  };
  const event = (source: string, target: string): object => ({ type: 'view', source_id: source, target_id: target });
  expect(await warned('interactions', { interactions: [event('film 003', 'user 001'), event('user 002', 'film 003'), event('film 003', 'unknown'), event('film 003', 'film 004'), event('user 002', 'user 001')] }))
    .toEqual([['exchanged-ids', '1 interaction has an item of a model as source_id and a user as target_id, such as "film 003" and "user 001"']]);
  expect(await warned('interactions', { interactions: [event('user 002', 'film 005')] })).toEqual([]);
  expect(await warned('entities', { entities: [{ id: 'e1', type: 'Film' }, { id: 'e2', type: 'Film' }, { id: 'e3', type: 'film' }, { id: 'e4', type: 'magazine' }] })).toEqual([['similar-types', 'No model has entities of the type "Film"']]);
});

it('leaves out an entity that is out of stock, until it is available again', async () => {
  await send({ id: 'sold', available: false, metadata: { genre: 'genre 1' } });
  await send({ id: 'other', metadata: { genre: 'genre 1' } });
  for (const server of [0, 1]) {
    await vi.waitFor(async () => expect(await listed({ entity_id: 'film 001' }, server)).toContain('other'), { timeout: 120_000 });
    expect(await listed({ entity_id: 'film 001' }, server)).not.toContain('sold');
  }
  await send({ id: 'sold', available: true, metadata: { genre: 'genre 1' } });
  await vi.waitFor(async () => expect(await listed({ entity_id: 'film 001' }, 1)).toContain('sold'), { timeout: 120_000 });
});

it('has an answer to why any entity is or is not in the list of a new one', async () => {
  await send({ id: 'asked', metadata: { genre: 'genre 1' } });
  await vi.waitFor(async () => expect(await listed({ entity_id: 'film 001' }, 0)).toContain('asked'), { timeout: 120_000 });
  for (const [source, target] of [['asked', 'film 001'], ['asked', 'film 002'], ['film 001', 'asked'], ['user 001', 'asked'], ['user 002', 'asked'], ['asked', 'asked']]) {
    const { status, body } = await servers.call<{ listed: boolean; causes: { code: string }[] }>('GET', `explain?${String(new URLSearchParams({ model_id: 'shop', source_id: source ?? '', target_id: target ?? '' }))}`);
    expect([source, target, status]).toEqual([source, target, 200]);
    expect(body.listed ? [] : body.causes.map(({ code }) => code)).not.toContain('unknown');
    if (!body.listed) expect(body.causes).not.toEqual([]);
  }
});
