import assert from 'node:assert/strict';
import { defaultTypes } from '../engine/query/listOptions.ts';
import type { Cause } from '../recommendations/explanation/cause.ts';
import { explainPair, type PairExplanation, type PairQuery } from '../recommendations/explanation/explainPair.ts';
import { findSources } from '../recommendations/findSources.ts';
import { answerOptions, relatedAsWholeCsv, trendingAsCsv } from '../recommendations/writeAnswer.ts';
import { clauses, type ExplainedShop } from './explainedShop.ts';

/** A query whose filter is made of whole clauses. */
type ClauseQuery = Omit<PairQuery, 'filter'> & { clauses: readonly string[] };
interface Row { target: string; rank: number; score: number }

const everything = 1_000_000;
const removable = ['wrong_type', 'filtered', 'below_threshold', 'beyond_limit'];

/** A random query for a pair. @param uniform numbers from 0 to 1 */
export function drawQuery(shop: ExplainedShop, uniform: () => number): ClauseQuery {
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(uniform() * values.length)] as Value;
  const source = pick([pick(shop.ids), pick(shop.ids), pick(shop.sources), pick(shop.sources), 'stranger', undefined]);
  const known = [...(shop.liked.get(source ?? '') ?? []), ...(shop.disliked.get(source ?? '') ?? []), source ?? 'nothing', 'nothing'];
  const target = uniform() < 0.05 ? pick(known) : pick(uniform() < 0.9 ? shop.films : shop.ids);
  return {
    ...(source === undefined ? {} : { source_id: source }), target_id: target,
    clauses: clauses.filter(() => uniform() < 0.15),
    ...(uniform() < 0.2 ? { entity_type: pick([['film'], ['series'], ['film', 'brand'], ['car']]) } : {}),
    ...(uniform() < 0.15 ? { boost: '"genre 2" in item.genres ? 3.0 : 0.7' } : {}),
    ...(uniform() < 0.3 ? { threshold: pick([0.05, 0.1, 0.3, 0.5]) } : {}),
    ...(uniform() < 0.2 ? { unknown: 'trending' as const } : {}),
    max_recommendations: pick([1, 10, 100, 100, 150, 1000, everything]),
  };
}

/**
 * Checks the explanation of a pair against the lists that are served and against the data.
 * @returns `listed`, or the codes of the causes
 * @throws AssertionError
 */
export async function checkExplanation(shop: ExplainedShop, query: ClauseQuery): Promise<string[]> {
  // Other queries use the same recommender while an explanation rests.
  const explained = await explainPair(shop.recommender, toPairQuery(query), async () => void shop.recommender.trending({ types: null, limit: 10, threshold: 0 }));
  const about = JSON.stringify({ query, explained });
  const { causes } = explained;
  const own = find(shop, query);
  assert.equal(explained.listed, own !== null, `listed or not: ${about}`);
  assert.equal(causes.length === 0, explained.listed, `an absent item has a cause: ${about}`);
  if (own !== null) expectPlace(explained, own, about);
  for (const cause of causes) checkCause(shop, query, cause, about);
  if (causes.every(({ code }) => removable.includes(code)) && causes.length > 0 && isNameable(shop, query, causes)) checkRemoved(shop, query, explained, about);
  return explained.listed ? ['listed'] : causes.map(({ code }) => code);
}

/** Without all causes, the item is in the list at the rank of the explanation; with each of them alone, it is not. */
function checkRemoved(shop: ExplainedShop, query: ClauseQuery, explained: PairExplanation, about: string): void {
  const { causes } = explained;
  const found = find(shop, without(shop, query, causes));
  assert.ok(found !== null, `the item appears without the causes: ${about}`);
  expectPlace(explained, found, about);
  for (const kept of causes) {
    assert.equal(find(shop, without(shop, query, causes.filter((cause) => cause !== kept))), null, `${kept.code} alone keeps the item out: ${about}`);
  }
}

function expectPlace({ rank, score }: PairExplanation, row: Row, about: string): void {
  assert.equal(rank, row.rank, `rank: ${about}`);
  assert.ok(Math.abs((score ?? -1) - row.score) < 1e-6, `score ${row.score}: ${about}`);
}

function checkCause(shop: ExplainedShop, query: ClauseQuery, { code, text }: Cause, about: string): void {
  const { source_id: source = '', target_id: target } = query;
  const has = (sets: ReadonlyMap<string, ReadonlySet<string>>, key: string, value: string): boolean => sets.get(key)?.has(value) === true;
  const shared = (one: string): boolean => [...(shop.audience.get(one) ?? [])].some((user) => has(shop.audience, target, user));
  const connected = (shop.audience.has(source) ? [source] : [...(shop.liked.get(source) ?? [])]).some(shared);
  const isTrue: Record<string, () => boolean> = {
    unknown_source: () => !shop.ids.includes(source) && !shop.liked.has(source),
    unknown_target: () => !shop.ids.includes(target),
    not_an_item: () => target.startsWith('user') || target.startsWith('brand'),
    same_item: () => source === target,
    unavailable: () => shop.hidden.has(target),
    seen: () => has(shop.liked, source, target),
    disliked: () => has(shop.disliked, source, target),
    no_common_users: () => !connected,
    not_among_nearest: () => connected,
    outweighed: () => shop.disliked.has(source) || shop.liked.has(source),
    not_trending: () => true,
  };
  assert.ok(text.length > 20, about);
  assert.ok(removable.includes(code) || isTrue[code]?.() === true, `${code} is true: ${about}`);
}

function without(shop: ExplainedShop, query: ClauseQuery, causes: readonly Cause[]): ClauseQuery {
  const copy = { ...query };
  for (const { code, text, clause } of causes) {
    if (code === 'filtered') copy.clauses = copy.clauses.filter((each) => each !== clause);
    if (code === 'below_threshold') copy.threshold = 0;
    if (code === 'beyond_limit') copy.max_recommendations = Number(/max_recommendations=(\d+)/.exec(text)?.[1]);
    if (code === 'wrong_type') copy.entity_type = [...(query.entity_type ?? typesOf(shop, query)), typeOf(shop, query.target_id)];
  }
  return copy;
}

/** An item without a type cannot be named in entity_type. */
function isNameable(shop: ExplainedShop, { target_id: target }: ClauseQuery, causes: readonly Cause[]): boolean {
  return typeOf(shop, target) !== '' || !causes.some(({ code }) => code === 'wrong_type');
}

function typeOf({ data }: ExplainedShop, id: string): string {
  return data.types[data.nodes.type[data.nodes.ids.indexOf(id)] ?? -1] ?? '';
}

function typesOf({ recommender: { model } }: ExplainedShop, { source_id: source }: ClauseQuery): string[] {
  const node = source === undefined ? -1 : model.findNode(source);
  const types = defaultTypes(model, node < 0 ? null : (model.nodeType[node] ?? -1));
  return model.facts.types.filter((_, at) => types[at + 1] === 1);
}

function toPairQuery({ clauses: own, ...query }: ClauseQuery): PairQuery {
  return own.length === 0 ? query : { ...query, filter: own.join(' && ') };
}

/** The row of the item in the served CSV; null if the list does not contain the item. */
function find({ recommender }: ExplainedShop, query: ClauseQuery): Row | null {
  const { source_id: source, target_id: target, unknown, ...list } = toPairQuery(query);
  const options = answerOptions(recommender, list);
  const form = { safe: false };
  let csv: Buffer;
  try {
    csv = source === undefined ? trendingAsCsv(recommender, options, form) : relatedAsWholeCsv(recommender, findSources(recommender, [source], unknown).listed, options, form);
  } catch (error) {
    if ((error as { code?: string }).code === 'unknown-entity') return null;
    throw error;
  }
  const line = csv.toString().split('\n').slice(1).find((each) => each.split(',')[1] === target);
  const [, , rank, score] = line?.split(',') ?? [];
  return line === undefined ? null : { target, rank: Number(rank), score: Number(score) };
}
