import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExplainAnswer } from '../recommendations/explanation.schema.ts';
import type { RecommendationsAnswer } from '../recommendations/recommendation.schema.ts';
import type { SimilarUsersAnswer } from '../recommendations/similarUsers.schema.ts';
import { ExperimentServers } from '../testing/experimentServers.ts';
import type { Static } from 'typebox';

let servers: ExperimentServers;

const cheap = { a: { model_id: 'shop' }, b: { model_id: 'other', filter: 'item.price < 50' } };
const users = Array.from({ length: 12 }, (_, at) => `user ${String(at + 1).padStart(3, '0')}`);

beforeAll(async () => {
  servers = await ExperimentServers.start(1);
  await servers.lists.publish('shop');
  await servers.lists.publish('other');
  const interactions = [{ type: 'purchase', source_id: 'somebody', target_id: 'film 001' }];
  expect(await servers.call('POST', 'interactions', { interactions })).toMatchObject({ status: 202 });
  expect(await servers.put('price', { arms: cheap, outcome: ['purchase'] })).toMatchObject({ status: 200 });
});
afterAll(() => servers.close());

const get = <Body>(route: string, query: Record<string, string>) => servers.call<Body>('GET', `${route}?${String(new URLSearchParams({ model_id: 'price', ...query }))}`);

describe('the id of an experiment', () => {
  it('explains the list of the arm of a user, and records no user', async () => {
    const seen = new Set<string | null | undefined>();
    for (const user of users) {
      const list = (await servers.call<RecommendationsAnswer>('POST', 'recommend', { model_id: 'price', entity_id: user, max_recommendations: 5 })).body;
      const [first] = list.recommendations;
      const { body } = await get<Static<typeof ExplainAnswer>>('explain', { source_id: user, target_id: first?.target_id ?? '' });
      expect(body).toMatchObject({ experiment: list.experiment, model_id: list.model_id, listed: true, rank: 1, score: first?.score });
      const expensive = await get<Static<typeof ExplainAnswer>>('explain', { source_id: user, target_id: 'film 060' });
      const codes = expensive.body.causes.map(({ code }) => code);
      expect(codes.includes('filtered')).toBe(list.experiment?.arm === 'b');
      const session = { history: [{ id: 'film 002' }], entity_id: user, target_id: 'film 060' };
      const ofSession = await servers.call<Static<typeof ExplainAnswer>>('POST', 'explain', { model_id: 'price', ...session });
      expect(ofSession.body).toMatchObject({ experiment: list.experiment, model_id: list.model_id });
      seen.add(list.experiment?.arm);
    }
    expect(seen).toEqual(new Set(['a', 'b']));
    await get('explain', { source_id: 'never asked for a list', target_id: 'film 001' });
    await servers.count();
    expect((await servers.call<{ users: { reached: number } }>('GET', 'experiments/price/results')).body.users.reached).toBe(users.length);
  });

  it('explains no list of an item, of all users or of several users', async () => {
    expect(await get('explain', { source_id: 'film 001', target_id: 'film 002' })).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/"film 001" is an item/) as string } });
    expect(await get('explain', { target_id: 'film 002' })).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/trending items are the same for all users/) as string } });
    const session = { model_id: 'price', history: [{ id: 'film 001' }], target_id: 'film 002' };
    expect(await servers.call('POST', 'explain', session)).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/there is no entity_id/) as string } });
  });

  it('lists similar users from the model of the arm', async () => {
    const models = new Set<string>();
    for (const user of users) {
      const list = (await servers.call<RecommendationsAnswer>('POST', 'recommend', { model_id: 'price', entity_id: user })).body;
      const { body } = await get<SimilarUsersAnswer>('similar_users', { entity_id: user });
      expect(body.model_id).toBe(list.model_id);
      models.add(body.model_id);
    }
    expect([...models].sort()).toEqual(['other', 'shop']);
  });

  it('is named as such where a model is needed', async () => {
    expect(await servers.call('GET', 'price/versions')).toMatchObject({ status: 404, body: { code: 'unknown-model', detail: '"price" is an experiment and not a model. Its arms use "shop" and "other"; send the id of a model.' } });
    const nested = { arms: { a: { model_id: 'price' }, b: { model_id: 'shop' } }, outcome: ['purchase'] };
    expect(await servers.call('PUT', 'experiments/nested', nested)).toMatchObject({ status: 404, body: { detail: expect.stringMatching(/"price" is an experiment/) as string } });
    expect(await servers.call('GET', 'price/versions', undefined, { organization: 'globex' })).toMatchObject({ status: 404, body: { detail: expect.stringMatching(/There is no model "price"/) as string } });
  });

  it('has no schedule, and the model of a schedule is no experiment', async () => {
    expect(await servers.call('PUT', 'schedules/price', { cron: '0 3 * * *' })).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/"price" is the id of an experiment/) as string, errors: [{ location: 'path:model_id' }] } });
    expect((await servers.call('GET', 'schedules/price')).status).toBe(404);
    expect(await servers.call('PUT', 'schedules/nightly', { cron: '0 3 * * *' })).toMatchObject({ status: 200 });
    const { status, body } = await servers.put('nightly', { arms: cheap, outcome: ['purchase'] });
    expect({ status, body }).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/"nightly" is the id of a model that a schedule trains/) as string } });
  });
});
