import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { RuleServers, type RuleReply } from '../testing/ruleServers.ts';
import { RuleBook } from './inForce/ruleBook.ts';
import { measureRules } from './measureRules.ts';
import type { RuleRecord } from './rule.schema.ts';
import { rulesCheck } from './rulesCheck.ts';

interface Lists {
  rules?: string[];
  recommendations: { source_id: string; target_id: string; rank: number; score: number }[];
}

interface Problem {
  code: string;
  detail: string;
  errors?: { location: string }[];
}

interface Explanation {
  rules?: string[];
  listed: boolean;
  rank: number | null;
  score: number;
  boost: number | null;
  rule_boosts: object[];
  causes: { code: string; text: string; clause?: string; rule?: string }[];
}

let servers: RuleServers;

beforeAll(async () => {
  servers = await RuleServers.start(2);
  await servers.publish('shop');
});
afterEach(async () => {
  for (const { name } of (await servers.call<RuleRecord[]>('GET', 'rules')).body) await servers.call('DELETE', `rules/${name}`);
});
afterAll(() => servers.close());

const put = (name: string, body: object) => servers.call<RuleRecord & Problem>('PUT', `rules/${name}`, body);
const recommend = async (body: object = {}, server = 0): Promise<Lists> => (await servers.call<Lists>('POST', 'recommend', { model_id: 'shop', entity_id: 'user 003', ...body }, { server })).body;
const related = (query: Record<string, string> = {}, server = 0): Promise<RuleReply<Lists>> =>
  servers.call('GET', `related_items?${String(new URLSearchParams({ model_id: 'shop', entity_id: 'user 003', output_format: 'json', ...query }))}`, undefined, { server });
const explain = async (target: string, more: Record<string, string> = {}): Promise<Explanation> =>
  (await servers.call<Explanation>('GET', `explain?${String(new URLSearchParams({ model_id: 'shop', source_id: 'user 003', target_id: target, ...more }))}`)).body;
const idsOf = ({ recommendations }: Lists): string[] => recommendations.map(({ target_id: id }) => id);
const priceOf = (id: string): number => Number(id.slice('film '.length));

/** Waits until a server that was not asked to change the rules applies exactly these. */
async function otherServerApplies(...names: string[]): Promise<void> {
  await vi.waitFor(async () => expect((await recommend({}, 1)).rules ?? []).toEqual(names), { timeout: 120_000 });
}

it('applies the rules in force to the lists of every route on every server, and names them', async () => {
  const before = await recommend();
  expect(before).not.toHaveProperty('rules');
  expect(idsOf(before).some((id) => priceOf(id) >= 60)).toBe(true);
  await put('cheap', { filter: 'item.price < user.budget + 10.0' });
  await put('no-maker-1', { filter: 'item.maker != "maker 1"' });
  await otherServerApplies('cheap', 'no-maker-1');
  const passes = (id: string): boolean => priceOf(id) < 60 && priceOf(id) % 5 !== 1;
  const expected = idsOf(before).filter(passes);
  expect(expected.length).toBeGreaterThan(5);
  for (const server of [0, 1]) {
    expect(idsOf(await recommend({}, server))).toEqual(expected);
    expect((await related({}, server)).body).toMatchObject({ rules: ['cheap', 'no-maker-1'] });
    expect(idsOf((await related({}, server)).body)).toEqual(expected);
    expect(idsOf((await related({ filter: 'item.genre == "genre 3"', max_recommendations: '4' }, server)).body)).toEqual(expected.filter((id) => priceOf(id) % 4 === 3).slice(0, 4));
    expect(idsOf(await recommend({ history: [{ id: 'film 003' }], candidates: ['film 006', 'film 007', 'film 061', 'film 062'] }, server)).every(passes)).toBe(true);
    const csv = (await servers.call<string>('GET', 'related_items?model_id=shop&entity_id=user%20003', undefined, { server })).body;
    const rows = csv.split('\n').slice(1, -1);
    expect(rows.map((row) => row.split(',')[1])).toEqual(expected);
    expect((await servers.call<string>('GET', 'related_items?model_id=shop', undefined, { server })).body).toContain(rows.join('\n'));
  }
  await servers.call('DELETE', 'rules/cheap');
  await put('no-maker-1', { filter: 'item.maker != "maker 1"', enabled: false });
  await otherServerApplies();
  expect(idsOf(await recommend({}, 1))).toEqual(idsOf(before));
});

it('applies to trending items, and only to the model and the organization of the rule', async () => {
  await servers.publish('other');
  await put('expensive', { filter: 'item.price >= 40', model_id: 'shop' });
  const trending = async (model: string): Promise<Lists> => (await servers.call<Lists>('GET', `trending_items?output_format=json&model_id=${model}`)).body;
  const whole = await trending('other');
  expect(whole).not.toHaveProperty('rules');
  expect(await trending('shop')).toMatchObject({ rules: ['expensive'] });
  expect(idsOf(await trending('shop'))).toEqual(idsOf(whole).filter((id) => priceOf(id) >= 40));
  expect(idsOf(whole).length).toBeGreaterThan(idsOf(await trending('shop')).length);
  expect((await servers.call('GET', 'rules', undefined, { organization: 'another' })).body).toEqual([]);
  expect((await servers.call('GET', 'rules/expensive', undefined, { organization: 'another' })).status).toBe(404);
  await servers.call('PUT', 'rules/mine', { filter: 'item.price < 3' }, { organization: 'another' });
  expect((await servers.call<RuleRecord[]>('GET', 'rules')).body.map(({ name }) => name)).toEqual(['expensive']);
  await servers.call('DELETE', 'rules/mine', undefined, { organization: 'another' });
});

it('multiplies the boosts of the request and of the rules', async () => {
  const [one, other] = ['item.genre == "genre 1" ? 30 : 1', 'item.price > user.budget ? 0.5 : 2'];
  const expected = await recommend({ boost: `(${one}) * (${other}) * (item.maker == "maker 2" ? 3 : 1)`, max_recommendations: 40 });
  await put('genre', { boost: one });
  await put('price', { boost: other });
  expect(await recommend({ boost: 'item.maker == "maker 2" ? 3 : 1', max_recommendations: 40 })).toMatchObject({ rules: ['genre', 'price'], recommendations: expected.recommendations });
  // The same again, from what is kept by item.
  expect(idsOf(await recommend({ boost: 'item.maker == "maker 2" ? 3 : 1', max_recommendations: 40 }))).toEqual(idsOf(expected));
  const first = expected.recommendations[0] as Lists['recommendations'][number];
  expect(await explain(first.target_id)).toMatchObject({ rules: ['genre', 'price'], rule_boosts: [{ rule: 'genre', boost: 30 }, { rule: 'price', boost: priceOf(first.target_id) > 50 ? 0.5 : 2 }] });
});

it('applies a rule between its dates, also if the clock is set back', async () => {
  const dates = { valid_from: '2026-03-02T13:00:00Z', valid_until: '2026-03-02T14:00:00Z' };
  await put('hour', { filter: 'item.price < 50', ...dates });
  // Before its dates, a rule that the other server does not know yet looks the same.
  servers.now = Date.parse('2026-03-02T13:30:00Z');
  await otherServerApplies('hour');
  for (const [time, status] of [['12:59:59.999', 'scheduled'], ['13:00:00', 'in_force'], ['13:59:59.999', 'in_force'], ['14:00:00', 'expired'], ['13:30:00', 'in_force'], ['12:00:00', 'scheduled']] as const) {
    servers.now = Date.parse(`2026-03-02T${time}Z`);
    for (const server of [0, 1]) expect((await recommend({}, server)).rules, time).toEqual(status === 'in_force' ? ['hour'] : undefined);
    expect((await servers.call<RuleRecord>('GET', 'rules/hour')).body).toMatchObject({ status, enabled: true, valid_from: '2026-03-02T13:00:00.000Z', warnings: [] });
  }
});

it('explains an absent item with the rule that leaves it out', async () => {
  const whole = await recommend();
  const target = whole.recommendations.find(({ target_id: id }) => priceOf(id) >= 50 && priceOf(id) % 5 === 1) as Lists['recommendations'][number];
  await put('cheap', { filter: 'item.genre != "genre 9" && item.price < user.budget' });
  const { listed, causes } = await explain(target.target_id, { filter: 'item.maker != "maker 1"' });
  expect(listed).toBe(false);
  expect(causes).toEqual([
    { code: 'filtered', clause: 'item.maker != "maker 1"', text: 'The filter leaves the item out. item.maker != "maker 1" is false: item.maker is "maker 1".' },
    { code: 'filtered', clause: 'item.price < user.budget', rule: 'cheap', text: `The filter of the rule "cheap" leaves the item out. item.price < user.budget is false: item.price is ${priceOf(target.target_id)}, user.budget is 50.` },
  ]);
  expect(await explain(target.target_id)).toMatchObject({ rank: target.rank, rules: ['cheap'] });
  const kept = (await recommend()).recommendations[2] as Lists['recommendations'][number];
  expect(await explain(kept.target_id)).toMatchObject({ listed: true, rank: 3, causes: [], boost: null, rule_boosts: [] });
});

/** What `vouch doctor` and the metrics say about the rules of the database. */
async function reports(): Promise<{ findings: string[]; metrics: string }> {
  const platform = { database: servers.database, clock: { ...systemInterfaces.clock, now: () => servers.now }, log: createLogger('silent') };
  const book = new RuleBook(platform);
  await book.refresh();
  const registry = new Registry();
  measureRules(registry, book);
  const findings = (await rulesCheck(platform).run()).map(({ status, detail }) => `${status}: ${detail}`);
  return { findings, metrics: await registry.metrics() };
}

it('answers without a rule that a newer version of the model does not fit, and warns', async () => {
  await servers.publish('changing');
  await put('cheap', { filter: 'item.price < 50', model_id: 'changing' });
  await put('genre', { filter: 'item.genre != "genre 1"', model_id: 'changing' });
  const lists = async (): Promise<Lists> => (await servers.call<Lists>('POST', 'recommend', { model_id: 'changing', entity_id: 'user 003' })).body;
  expect((await lists()).rules).toEqual(['cheap', 'genre']);
  await servers.publish('changing', (film) => ({ genre: `genre ${film % 4}`, prize: film }));
  await vi.waitFor(async () => expect((await lists()).rules).toEqual(['genre']), { timeout: 120_000 });
  expect(idsOf(await lists()).some((id) => priceOf(id) >= 50)).toBe(true);
  expect(idsOf(await lists()).every((id) => priceOf(id) % 4 !== 1)).toBe(true);
  const warnings = async (): Promise<object[]> => (await servers.call<RuleRecord>('GET', 'rules/cheap', undefined, { server: 1 })).body.warnings;
  await vi.waitFor(async () => expect(await warnings()).toEqual([{
    model_id: 'changing', model_version: 2,
    detail: 'Lists do without the rule: the filter does not fit the model: at character 1, the model has no column "item.price". The nearest column is item.prize.',
  }]), { timeout: 120_000 });
  const warned = await reports();
  expect(warned.findings).toEqual([expect.stringMatching(/^warning: the rule cheap of the organization acme is in force, but lists do without it; version 2 of the model changing: the filter does not fit/)]);
  expect(warned.metrics).toMatch(/vouch_recommender_rules_in_force 2\n[^]*vouch_recommender_rules_with_warnings 1\n/);
  await servers.publish('changing');
  await vi.waitFor(async () => expect((await lists()).rules).toEqual(['cheap', 'genre']), { timeout: 120_000 });
  await vi.waitFor(async () => expect(await warnings()).toEqual([]), { timeout: 120_000 });
  expect(await reports()).toMatchObject({ findings: ['ok: every rule in force applies to the lists of its models'], metrics: expect.stringContaining('rules_with_warnings 0') as string });
});

it('refuses a rule that cannot apply, with the reason, and stores nothing of it', async () => {
  const deep = (list: string): string => Array.from({ length: 12 }, () => `${list}.exists(g, g == "a" || g == "b" || g == "c")`).join(' && ');
  await servers.publish('listed', () => ({ genres: ['a'] }));
  const cases: [string, object, number, string, RegExp][] = [
    ['r', {}, 400, 'empty-rule', /Neither filter nor boost/],
    ['r', { filter: null, enabled: false }, 400, 'empty-rule', /Neither filter nor boost/],
    ['r', { filter: 'item.prise < 3', model_id: 'shop' }, 422, 'invalid-expression', /filter cannot be used: at character 1, the model has no column "item.prise". The nearest column is item.price\./],
    ['r', { boost: 'item.genre', model_id: 'shop' }, 422, 'invalid-expression', /boost cannot be used.*its value is a string/],
    ['r', { boost: '1 / 0', model_id: 'shop' }, 422, 'invalid-expression', /boost cannot be used.*`1 \/ 0` divides by 0, so it has no value for any item/],
    ['r', { filter: '' }, 422, 'invalid-expression', /it is empty/],
    ['r', { filter: deep('item.genres'), model_id: 'listed' }, 422, 'expression-too-expensive', /filter takes about \d+ evaluations of its parts per item.*at most 500/],
    ['r', { filter: 'true', model_id: 'nobody-has-it' }, 404, 'unknown-model', /nobody-has-it/],
    ['r', { filter: 'true', valid_from: '2026-03-02T14:00:00Z', valid_until: '2026-03-02T13:00:00Z' }, 422, 'invalid-parameter', /valid_until is 2026-03-02T13:00:00.000Z, which is not after valid_from/],
    ['r', { filter: 'true', valid_from: 'tomorrow' }, 422, 'invalid-parameter', /valid_from.*a time such as/],
    ['r', { filter: 'true', until: 1 }, 422, 'unknown-parameter', /until/],
    ['a b', { filter: 'true' }, 422, 'invalid-parameter', /name.*1 to 64 of A–Z a–z 0–9/],
    ['x'.repeat(65), { filter: 'true' }, 422, 'invalid-parameter', /name/],
  ];
  for (const [name, body, status, code, detail] of cases) {
    expect(await put(encodeURIComponent(name), body), JSON.stringify(body).slice(0, 100)).toMatchObject({ status, body: { code, detail: expect.stringMatching(detail) as string } });
  }
  expect((await servers.call('GET', 'rules')).body).toEqual([]);
  expect(await servers.call('GET', 'rules/r')).toMatchObject({ status: 404, body: { code: 'unknown-rule', detail: expect.stringContaining('"r"') as string } });
  expect(await servers.call('DELETE', 'rules/r')).toMatchObject({ status: 404, body: { code: 'unknown-rule' } });
});

exhaustiveTest('keeps at most 100 rules of an organization, also if many are sent at once, and replaces them', async () => {
  const sent = await Promise.all(Array.from({ length: 104 }, (_, at) => put(`r${String(at).padStart(3, '0')}`, { filter: 'true', enabled: false })));
  expect(sent.filter(({ status }) => status === 200)).toHaveLength(100);
  expect(sent.filter(({ status }) => status !== 200).map(({ body }) => body.code)).toEqual(Array.from({ length: 4 }, () => 'too-many-rules'));
  const listed = (await servers.call<RuleRecord[]>('GET', 'rules')).body;
  expect(listed).toHaveLength(100);
  const [first] = listed as [RuleRecord];
  expect(await put(first.name, { boost: '2.0', enabled: false })).toMatchObject({ status: 200, body: { filter: null, boost: '2.0', created_at: first.created_at, status: 'disabled' } });
});
