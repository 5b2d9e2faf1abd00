import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import type { RecommendationsAnswer } from '../recommendations/recommendation.schema.ts';
import { ExperimentServers } from '../testing/experimentServers.ts';
import type { ExperimentRecord } from './experiment.schema.ts';
import type { ExperimentResults } from './experimentResults.schema.ts';

let servers: ExperimentServers;

beforeAll(async () => {
  servers = await ExperimentServers.start(2);
  await servers.lists.publish('shop');
  await servers.lists.publish('other');
  await send([{ type: 'purchase', source_id: 'somebody', target_id: 'film 001' }, { type: 'click', source_id: 'somebody', target_id: 'film 001' }]);
});
afterAll(() => servers.close());

async function send(interactions: object[], organization = 'acme'): Promise<void> {
  expect(await servers.call('POST', 'interactions', { interactions }, { organization })).toMatchObject({ status: 202 });
}

async function ask(experiment: string, user: string, more: object = {}, server = 0): Promise<RecommendationsAnswer> {
  const { status, body } = await servers.call<RecommendationsAnswer>('POST', 'recommend', { model_id: experiment, entity_id: user, unknown: 'trending', max_recommendations: 10, ...more }, { server });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

const results = async (id: string): Promise<ExperimentResults> => (await servers.call<ExperimentResults>('GET', `experiments/${id}/results`)).body;
const idsOf = ({ recommendations }: RecommendationsAnswer): string[] => recommendations.map(({ target_id: id }) => id);
const visitors = (count: number): string[] => Array.from({ length: count }, (_, at) => `visitor ${at}`);
const cheap = { a: { model_id: 'shop' }, b: { model_id: 'shop', filter: 'item.price < 50' } };

it('gives a user the same arm on every server, and each arm its own lists', async () => {
  await servers.put('price', { arms: cheap, outcome: ['purchase'] });
  const arms = new Map<string, string | null | undefined>();
  for (const user of visitors(40)) {
    const answer = await ask('price', user);
    arms.set(user, answer.experiment?.arm);
    expect(answer).toMatchObject({ model_id: 'shop', model_version: 1, experiment: { id: 'price' } });
    expect((await ask('price', user, {}, 1)).experiment?.arm).toBe(answer.experiment?.arm);
    const plain = { model_id: 'shop', entity_id: user, unknown: 'trending', max_recommendations: 10, ...(answer.experiment?.arm === 'b' ? { filter: 'item.price < 50' } : {}) };
    expect(idsOf(answer)).toEqual(idsOf((await servers.call<RecommendationsAnswer>('POST', 'recommend', plain)).body));
  }
  expect(new Set(arms.values())).toEqual(new Set(['a', 'b']));
  const [inB] = [...arms].find(([, arm]) => arm === 'b') ?? [''];
  const steered = await ask('price', inB, { filter: 'item.genre == "genre 1" || item.genre == "genre 2"', boost: '2.0' });
  expect(idsOf(steered).length).toBeGreaterThan(3);
  for (const id of idsOf(steered)) expect([Number(id.slice(5)) < 50, Number(id.slice(5)) % 4]).toEqual([true, expect.toBeOneOf([1, 2])]);
  await servers.count();
  const { arms: counted } = await results('price');
  expect(counted.a.users + counted.b.users).toBe(40);
  expect(counted.b.users).toBe([...arms.values()].filter((arm) => arm === 'b').length);
});

it('counts an outcome once per user: after the first answer, in the window, of the given types, of the own organization', async () => {
  await servers.put('once', { arms: { a: { model_id: 'shop' }, b: { model_id: 'other' } }, outcome: ['purchase'], window_days: 1 });
  const purchase = (user: string, more: object = {}) => ({ type: 'purchase', source_id: user, target_id: 'film 001', ...more });
  await send([purchase('before')]);
  servers.passSeconds(5);
  for (const user of ['before', 'twice', 'clicks', 'foreign', 'late', 'dated']) await ask('once', user);
  servers.passSeconds(5);
  await send([purchase('twice'), purchase('twice'), { ...purchase('clicks'), type: 'click' }, purchase('nobody'), purchase('dated', { timestamp: '2026-01-01T00:00:00Z' })]);
  await send([purchase('foreign')], 'globex');
  await servers.count();
  await ask('once', 'twice');
  await send([purchase('twice')]);
  await servers.count();
  servers.passSeconds(86_400);
  await send([purchase('late')]);
  await servers.count();
  const { arms, counted_until: until } = await results('once');
  expect([arms.a.users + arms.b.users, arms.a.conversions + arms.b.conversions]).toEqual([6, 1]);
  expect(until).toBe(new Date(servers.lists.now - 30_000).toISOString());
});

exhaustiveTest('finds the better arm in planted data, and what it broke', async () => {
  const body = { arms: cheap, outcome: ['purchase'], minimum_effect: 1, guardrails: [{ metric: 'interactions', types: ['click'] }, { metric: 'empty_lists' }] };
  await servers.put('planted', body);
  expect((await results('planted')).verdict).toMatchObject({ code: 'running', text: expect.stringMatching(/no results yet/) as string });
  const counts = { a: 0, b: 0 };
  const events: object[] = [];
  for (const [at, user] of visitors(400).entries()) {
    // Which visitors are in arm b is random: of 100, fewer than 38 would be in 1 of 150 runs, and would decide nothing.
    const empty = at < 200;
    const { experiment } = await ask('planted', user, empty ? { filter: 'item.price >= 50' } : {}, at % 2);
    const arm = experiment?.arm ?? 'a';
    const place = (counts[arm] += 1) % 10;
    if (place < (arm === 'b' ? 6 : 2)) events.push({ type: 'purchase', source_id: user, target_id: 'film 002' });
    if (place < (arm === 'b' ? 1 : 7)) events.push({ type: 'click', source_id: user, target_id: 'film 003' });
  }
  await send(events);
  await servers.count();
  const found = await results('planted');
  expect(found.arms).toMatchObject({ a: { users: counts.a }, b: { users: counts.b } });
  expect(found.arms.b.rate?.value).toBeCloseTo(0.6, 1);
  expect(found.arms.a.rate?.value).toBeCloseTo(0.2, 1);
  expect(found.difference?.low).toBeGreaterThan(0.1);
  expect(found.ratio?.low).toBeGreaterThan(1.2);
  expect(found.users).toMatchObject({ reached: 400, needed: expect.any(Number) as number });
  expect(found.verdict).toMatchObject({ code: 'better', text: expect.stringMatching(/^Arm b is better: \d\d.*% of the users of arm b have an outcome, and .* of arm a; the ratio is [23]\.?\d*, and the true ratio is between .* with 95 % certainty\.$/) as string });
  expect(found.guardrails.map(({ status }) => status)).toEqual(['broken', 'broken']);
  expect(found.guardrails[1]).toMatchObject({ metric: 'empty_lists', a: { affected: 0 } });
  expect(found.warnings.map(({ code }) => code).filter((code) => code !== 'sample-ratio-mismatch')).toEqual(['guardrail-broken', 'guardrail-broken']);
});

it('warns where the users do not fit the share, and compares nothing where one arm has all', async () => {
  await servers.put('lossy', { arms: cheap, outcome: ['purchase'], share: 0.1 });
  const { rows } = await servers.lists.database.query<{ run: string }>(`SELECT run FROM experiments WHERE experiment_id = 'lossy'`);
  await servers.lists.database.query(`INSERT INTO experiment_users SELECT $1, 'u' || n, CASE WHEN n <= 200 THEN 'b' ELSE 'a' END, now(), false FROM generate_series(1, 1000) AS n`, [rows[0]?.run]);
  expect((await results('lossy')).warnings).toMatchObject([{ code: 'sample-ratio-mismatch', detail: expect.stringMatching(/Arm b has 200 of 1000 users, which does not fit the share of 0\.1/) as string }]);
  await servers.put('done', { arms: cheap, outcome: ['purchase'], share: 1 });
  for (const user of visitors(10)) expect((await ask('done', user)).experiment?.arm).toBe('b');
  await servers.count();
  expect(await results('done')).toMatchObject({ arms: { a: { users: 0 }, b: { users: 10 } }, verdict: { code: 'running', text: 'All users get arm b, so nothing is compared.' }, warnings: [] });
});

it('lets a rule apply in one arm only, whether or not it is enabled', async () => {
  await servers.call('PUT', 'rules/cheap', { filter: 'item.price < 50', enabled: false });
  await servers.call('PUT', 'rules/cheap', { filter: 'item.price < 50', enabled: false }, { server: 1 });
  await servers.put('ruled', { arms: { a: { model_id: 'shop' }, b: { model_id: 'shop', rule: 'cheap' } }, outcome: ['purchase'] });
  for (const enabled of [false, true]) {
    await servers.call('PUT', 'rules/cheap', { filter: 'item.price < 50', enabled });
    for (const user of visitors(20)) {
      const answer = await ask('ruled', user);
      expect(idsOf(answer).every((id) => Number(id.slice(5)) < 50)).toBe(answer.experiment?.arm === 'b');
      expect(answer.rules).toEqual(answer.experiment?.arm === 'b' ? ['cheap'] : undefined);
    }
  }
  await servers.call('DELETE', 'rules/cheap');
});

it('warns of what changed under an experiment: its rules and the columns of its models', async () => {
  const codes = async (): Promise<[string, string][]> => (await results('shaken')).warnings.map(({ code, detail }) => [code, detail]);
  await servers.lists.publish('shaky');
  await servers.call('PUT', 'rules/low', { filter: 'item.price < 50', enabled: false });
  await servers.put('shaken', { arms: { a: { model_id: 'shop', filter: 'item.price < 90' }, b: { model_id: 'shaky', rule: 'low' } }, outcome: ['purchase'] });
  expect(await codes()).toEqual([]);
  servers.passSeconds(1);
  await servers.call('PUT', 'rules/low', { filter: 'item.price < 40', model_id: 'shop', enabled: false });
  expect(await codes()).toEqual([
    ['rule-changed', expect.stringMatching(/^The rule "low" of arm b was changed at 20.*, after the start/)],
    ['rule-skipped', 'The rule "low" of arm b applies to the model "shop" only, and the model of the arm is "shaky".'],
  ]);
  await servers.call('DELETE', 'rules/low');
  expect(await codes()).toEqual([['rule-deleted', expect.stringMatching(/^The rule "low" of arm b was deleted, so arm b answers without the rule\./)]]);
  // A training whose data has another column takes the column of the arm away.
  await servers.put('shaken', { arms: { a: { model_id: 'shop' }, b: { model_id: 'shaky', filter: 'item.price < 50' } }, outcome: ['purchase'] });
  await servers.lists.publish('shaky', (film) => ({ prize: film }));
  await vi.waitFor(async () => expect(await codes()).toEqual([['arm-cannot-answer', expect.stringMatching(/^Requests of users of arm b fail: filter cannot be used: .*no column "item\.price"/)]]), { timeout: 120_000 });
});

it('counts outcomes while a server whose clock was ahead has stored events of a later time', async () => {
  await servers.put('clocks', { arms: cheap, outcome: ['purchase'] });
  await ask('clocks', 'early bird');
  const now = servers.lists.now;
  servers.passSeconds(30 * 86_400);
  await send([{ type: 'purchase', source_id: 'somebody', target_id: 'film 001' }]);
  servers.lists.now = now;
  await send([{ type: 'purchase', source_id: 'early bird', target_id: 'film 001' }]);
  await servers.count();
  const { arms } = await results('clocks');
  expect(arms.a.conversions + arms.b.conversions).toBe(1);
});

it('lets events wait as long as the setting says, also for an hour', async () => {
  await servers.put('patient', { arms: cheap, outcome: ['purchase'] });
  await ask('patient', 'patient one');
  await send([{ type: 'purchase', source_id: 'patient one', target_id: 'film 001' }]);
  const converted = async (): Promise<number> => {
    await servers.count(3_600);
    const { arms } = await results('patient');
    return arms.a.conversions + arms.b.conversions;
  };
  expect(await converted()).toBe(0);
  servers.passSeconds(3_600);
  expect(await converted()).toBe(1);
});

it('starts over with another definition only, and ends with its deletion', async () => {
  const body = { arms: cheap, outcome: ['purchase'] };
  const first = await servers.put<ExperimentRecord>('again', body);
  await ask('again', 'one');
  await servers.count();
  expect(await servers.put('again', { ...body, share: 0.5, minimum_effect: 0.1 })).toMatchObject({ body: { started_at: first.body.started_at } });
  expect((await results('again')).users.reached).toBe(1);
  const { body: second } = await servers.put<ExperimentRecord>('again', { ...body, share: 0.4 });
  expect(second).toMatchObject({ experiment_id: 'again', share: 0.4, arms: { b: { filter: 'item.price < 50', rule: null } } });
  expect(Date.parse(second.started_at)).toBeGreaterThan(Date.parse(first.body.started_at));
  expect((await results('again')).users.reached).toBe(0);
  // Another organization neither sees nor uses it.
  const globex = { organization: 'globex' };
  expect((await servers.call('GET', 'experiments', undefined, globex)).body).toEqual([]);
  for (const [method, path] of [['GET', 'experiments/again'], ['GET', 'experiments/again/results'], ['DELETE', 'experiments/again']] as const) {
    expect(await servers.call(method, path, undefined, globex)).toMatchObject({ status: 404, body: { code: 'unknown-experiment' } });
  }
  expect(await servers.call('POST', 'recommend', { model_id: 'again', entity_id: 'one' }, globex)).toMatchObject({ status: 404, body: { code: 'unknown-model' } });
  expect((await servers.call<ExperimentRecord[]>('GET', 'experiments')).body.map(({ experiment_id: id }) => id)).toContain('again');
  expect(await servers.call('DELETE', 'experiments/again')).toMatchObject({ status: 200, body: second });
  expect(await servers.call('POST', 'recommend', { model_id: 'again', entity_id: 'one' })).toMatchObject({ status: 404, body: { code: 'unknown-model' } });
  const { rows } = await servers.lists.database.query<{ users: string }>(`SELECT count(*) AS users FROM experiment_users WHERE user_id = 'one'`);
  expect(rows[0]?.users).toBe('0');
});

it('counts no page past the end of a list as an empty list', async () => {
  await servers.put('paged', { arms: cheap, outcome: ['purchase'] });
  await ask('paged', 'user 001', { offset: 9_000 });
  for (const output_format of ['csv', 'json']) {
    expect((await servers.call('GET', `related_items?model_id=paged&entity_id=user+002&offset=9000&output_format=${output_format}`)).status).toBe(200);
  }
  await ask('paged', 'user 003', { filter: 'item.price > 1000' });
  await servers.count();
  const { rows } = await servers.lists.database.query(`SELECT user_id FROM experiment_users JOIN experiments USING (run) WHERE experiment_id = 'paged' AND empty`);
  expect(rows).toEqual([{ user_id: 'user 003' }]);
});

it('lets no expression of a request escape the filter of an arm', async () => {
  await servers.put('fenced', { arms: { ...cheap, a: { model_id: 'shop', filter: 'item.price < 40' } }, outcome: ['purchase'] });
  for (const filter of ['item.price > 50) || (item.price > 60', 'item.price > 50) || (true // ']) {
    expect(await servers.call('POST', 'recommend', { model_id: 'fenced', entity_id: 'user 001', filter })).toMatchObject({ status: 422, body: { code: 'invalid-expression' } });
    expect(await servers.call('GET', `related_items?${String(new URLSearchParams({ model_id: 'fenced', entity_id: 'user 001', filter }))}`)).toMatchObject({ status: 422 });
  }
});

it('answers related_items for users by their arm too, and refuses what has no user', async () => {
  await servers.put('listed', { arms: { ...cheap, a: { model_id: 'other', boost: 'item.maker == "maker 1" ? 9 : 1' } }, outcome: ['purchase'] });
  const get = <Body = RecommendationsAnswer>(route: string, query: Record<string, string>) => servers.call<Body>('GET', `${route}?${String(new URLSearchParams({ model_id: 'listed', ...query }))}`);
  for (const user of ['user 001', 'user 002', 'user 003', ...visitors(10)]) {
    const { body } = await get('related_items', { entity_id: user, output_format: 'json', unknown: 'trending', boost: '1.0', max_recommendations: '10' });
    const asked = await ask('listed', user);
    expect(body).toMatchObject({ experiment: asked.experiment, model_id: asked.experiment?.arm === 'b' ? 'shop' : 'other' });
    expect(idsOf(body)).toEqual(idsOf(asked));
    const csv = (await get<string>('related_items', { entity_id: user, unknown: 'trending', max_recommendations: '10' })).body;
    expect(csv.split('\n').slice(1, -1).map((row) => row.split(',')[1])).toEqual(idsOf(asked));
  }
  await get('related_items', { entity_id: 'user 004', filter: 'item.price > 1000' });
  await get('related_items', { entity_id: 'user 005', filter: 'item.price > 1000', output_format: 'json' });
  await servers.count();
  expect((await results('listed')).users.reached).toBe(15);
  const { rows } = await servers.lists.database.query(`SELECT user_id FROM experiment_users JOIN experiments USING (run) WHERE experiment_id = 'listed' AND empty ORDER BY 1`);
  expect(rows).toEqual([{ user_id: 'user 004' }, { user_id: 'user 005' }]);
  const cases: [string, Record<string, string>, RegExp][] = [
    ['related_items', { entity_id: 'film 001' }, /which compares users, and "film 001" is an item/],
    ['related_items', { entity_id: 'user 001,user 002' }, /entity_id has 2 ids/],
    ['related_items', {}, /there is no entity_id/],
    ['trending_items', {}, /trending items are the same for all users/],
  ];
  for (const [route, query, detail] of cases) expect(await get(route, query), detail.source).toMatchObject({ status: 422, body: { detail: expect.stringMatching(detail) as string } });
  expect(await servers.call('POST', 'recommend', { model_id: 'listed', entity_id: 'film 001' })).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/is an item/) as string } });
});

it('refuses an experiment that cannot decide anything, with the reason', async () => {
  const arms = { a: { model_id: 'shop' }, b: { model_id: 'other' } };
  const cases: [string, object, number, RegExp][] = [
    ['bad', { arms: { a: { model_id: 'shop' }, b: { model_id: 'shop' } }, outcome: ['purchase'] }, 422, /Both arms have the model "shop" and the same filter, boost and rule/],
    ['bad', { arms: { a: { model_id: 'shop' }, b: { model_id: 'nobody-has-it' } }, outcome: ['purchase'] }, 404, /There is no model "nobody-has-it"/],
    ['bad', { arms: { a: { model_id: 'shop' }, b: { model_id: 'shop', filter: 'item.prise < 3' } }, outcome: ['purchase'] }, 422, /no column "item\.prise"/],
    ['bad', { arms: { a: { model_id: 'shop' }, b: { model_id: 'shop', rule: 'no-rule' } }, outcome: ['purchase'] }, 404, /no rule "no-rule", which arm b names/],
    ['bad', { arms, outcome: ['purchase'], share: 1.5 }, 422, /share/],
    ['bad', { arms, outcome: ['buy'] }, 422, /No interaction has the type "buy", so it would never count\. The types that occur are .*"purchase"/],
    ['bad', { arms, outcome: [] }, 422, /outcome/],
    ['bad', { arms, outcome: ['purchase'], guardrails: [{ metric: 'interactions' }] }, 422, /guardrails\[0\] has the metric interactions and no types/],
    ['bad', { arms, outcome: ['purchase'], guardrails: [{ metric: 'empty_lists', types: ['click'] }] }, 422, /guardrails\[0\] has the metric empty_lists/],
    ['bad', { arms, outcome: ['purchase'], guardrails: [{ metric: 'interactions', types: ['clicks'] }] }, 422, /No interaction has the type "clicks"/],
    ['bad', { arms, outcome: ['purchase'], mode: 'interleaved', share: 0.2 }, 422, /share is given, but the mode is interleaved/],
    ['bad', { arms, outcome: ['purchase'], mode: 'interleaved', guardrails: [{ metric: 'empty_lists' }] }, 422, /guardrails are given, but the mode is interleaved/],
    ['shop', { arms, outcome: ['purchase'] }, 422, /"shop" is the id of a model/],
    ['a%20b', { arms, outcome: ['purchase'] }, 422, /1 to 128 of A–Z a–z 0–9/],
  ];
  for (const [id, body, status, detail] of cases) {
    expect(await servers.call('PUT', `experiments/${id}`, body), JSON.stringify(body)).toMatchObject({ status, body: { detail: expect.stringMatching(detail) as string } });
  }
  expect((await servers.call('GET', 'experiments/bad')).status).toBe(404);
  await servers.put('users', { arms: cheap, outcome: ['purchase'] });
  for (const body of [{}, { entity_id: ['one', 'two'] }, { history: [{ id: 'film 001' }] }]) {
    expect(await servers.call('POST', 'recommend', { model_id: 'users', ...body })).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/compares users, and (there is no entity_id|entity_id has 2 ids)/) as string } });
  }
});
