import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RecommendationsAnswer } from '../recommendations/recommendation.schema.ts';
import { ExperimentServers } from '../testing/experimentServers.ts';
import type { ExperimentResults } from './experimentResults.schema.ts';

let servers: ExperimentServers;

beforeAll(async () => {
  servers = await ExperimentServers.start(2);
  await servers.lists.publish('shop');
  await servers.call('POST', 'interactions', { interactions: [{ type: 'purchase', source_id: 'somebody', target_id: 'film 001' }] });
  const reply = await servers.put('shared', {
    mode: 'interleaved', arms: { a: { model_id: 'shop', filter: 'item.price < 50' }, b: { model_id: 'shop', filter: 'item.price >= 50' } }, outcome: ['purchase'], window_days: 2, minimum_effect: 0.5,
  });
  expect(reply).toMatchObject({ status: 200, body: { mode: 'interleaved', guardrails: [] } });
});
afterAll(() => servers.close());

async function ask(user: string, more: object = {}, server = 0): Promise<RecommendationsAnswer> {
  const { status, body } = await servers.call<RecommendationsAnswer>('POST', 'recommend', { model_id: 'shared', entity_id: user, unknown: 'trending', max_recommendations: 10, ...more }, { server });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

const results = async (): Promise<ExperimentResults> => (await servers.call<ExperimentResults>('GET', 'experiments/shared/results')).body;
const itemOf = ({ recommendations }: RecommendationsAnswer, arm: 'a' | 'b'): string => recommendations.find((each) => each.arm === arm)?.target_id ?? '';
const purchase = (user: string, target: string, answer?: RecommendationsAnswer): object => ({ type: 'purchase', source_id: user, target_id: target, ...(answer === undefined ? {} : { recommendation_id: answer.recommendation_id }) });
const send = async (interactions: object[]): Promise<void> => expect(await servers.call('POST', 'interactions', { interactions })).toMatchObject({ status: 202 });

it('takes turns between the arms in each list, the same for a user on every server and page', async () => {
  let first = 0;
  for (let at = 0; at < 60; at += 1) {
    const whole = await ask(`visitor ${at}`, { explain: true });
    expect(whole).toMatchObject({ model_id: 'shop', experiment: { id: 'shared', arm: null } });
    expect(whole.recommendations.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const { target_id: id, arm } of whole.recommendations) expect(arm).toBe(Number(id.slice(5)) < 50 ? 'a' : 'b');
    expect(whole.recommendations.filter(({ arm }) => arm === 'a')).toHaveLength(5);
    expect((await ask(`visitor ${at}`, { explain: true, offset: 4, max_recommendations: 6 }, 1)).recommendations).toEqual(whole.recommendations.slice(4));
    first += whole.recommendations[0]?.arm === 'a' ? 1 : 0;
  }
  // Four standard deviations.
  expect(Math.abs(first - 30)).toBeLessThan(16);
});

it('counts the first outcome of a user for the arm of its item, by the answer it came from', async () => {
  const [one, two, three, four] = [await ask('one'), await ask('two'), await ask('three'), await ask('four')];
  servers.passSeconds(1);
  await send([
    purchase('one', itemOf(one, 'b'), one), purchase('one', itemOf(one, 'a'), one), purchase('one', itemOf(one, 'a'), one),
    // Without the answer, with an item that the answer did not have, of another type, and of an unknown answer.
    purchase('two', itemOf(two, 'b')), purchase('two', 'film 099999', two), { ...purchase('two', itemOf(two, 'b'), two), type: 'click' },
    { ...purchase('two', itemOf(two, 'b')), recommendation_id: 'no-such-answer' },
    // Another account of the same person, after a login.
    purchase('three at home', itemOf(three, 'a'), three),
  ]);
  await servers.count();
  servers.passSeconds(2 * 86_400);
  await send([purchase('four', itemOf(four, 'b'), four)]);
  await servers.count();
  expect(await results()).toMatchObject({ mode: 'interleaved', arms: { a: { conversions: 1 }, b: { conversions: 1 } }, warnings: [] });
});

it('forgets answers after their window, and refuses what a shared list cannot have', async () => {
  servers.passSeconds(2 * 86_400);
  await servers.count();
  expect((await servers.lists.database.query('SELECT 1 FROM experiment_answers')).rows).toEqual([]);
  expect(await servers.call('GET', 'related_items?model_id=shared&entity_id=one')).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/whose arms share each list/) as string } });
  for (const more of [{ pinned: [{ id: 'film 001', position: 1 }] }, { per_group: { column: 'maker', limit: 1 } }]) {
    expect(await servers.call('POST', 'recommend', { model_id: 'shared', entity_id: 'one', ...more })).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/does not work with the experiment "shared"/) as string } });
  }
});

it('finds the arm whose items users choose', async () => {
  const events: object[] = [];
  for (let at = 0; at < 300; at += 1) {
    const user = `chooser ${at}`;
    const answer = await ask(user);
    if (at % 2 === 0) events.push(purchase(user, itemOf(answer, at % 10 < 8 ? 'b' : 'a'), answer));
  }
  await send(events);
  await servers.count();
  const found = await results();
  expect(found.arms.a.conversions).toBe(30 + 1);
  expect(found.arms.b.conversions).toBe(120 + 1);
  expect(found.verdict).toMatchObject({ code: 'better', text: expect.stringMatching(/the first outcome of .* of the users was an item of arm b/) as string });
  expect(found.ratio?.low).toBeGreaterThan(1);
});
