import { explain } from '../../engine/query/explain.ts';
import type { GivenHistory } from '../../engine/query/givenHistory.ts';
import { defaultTypes, filterTypes, type TypeFilter } from '../../engine/query/listOptions.ts';
import { Ranking } from '../../engine/query/ranking.ts';
import type { RecentChanges } from '../../engine/query/recentChanges.ts';
import type { Reason } from '../../engine/query/reason.ts';
import type { Recommender, Source } from '../../engine/query/recommender.ts';
import { rankList, rankSession, type AnswerOptions } from '../steering/rankList.ts';
import type { RuleSet } from '../steering/ruleSet.ts';
import { Steering } from '../steering/steering.ts';
import { filteredCause, quote, type Cause } from './cause.ts';
import { findPlace, type Place } from './findPlace.ts';
import { findTrendingPlace } from './findTrendingPlace.ts';
import { missingFromHistory, missingFromRelated, missingFromTrending } from './missingCause.ts';

/** A list and an item. The list is the list that related_items, or trending_items without a source, answers with the same parameters. */
export interface PairQuery {
  source_id?: string;
  /** History of a session, which replaces the history of the source. */
  session?: GivenHistory;
  target_id: string;
  entity_type?: string[];
  filter?: string;
  boost?: string;
  threshold?: number;
  max_recommendations?: number;
  unknown?: 'error' | 'trending';
}

export interface PairExplanation {
  /** Kind of the list; null if it was not ranked. */
  list: Ranking['kind'] | null;
  listed: boolean;
  /** Rank and score, also of an item that only filter, type, threshold or limit keep out: as they are without these. */
  rank: number | null;
  score: number | null;
  /** Factor by which the boosts of the query and of the rules multiplied the score; null without a boost. */
  boost: number | null;
  /** The factors of the rules among these. */
  rule_boosts: { rule: string; boost: number }[];
  reasons: Reason[];
  /** Why the list does not contain the item; empty if it does. */
  causes: Cause[];
}

/**
 * Explains why a list contains an item at its rank, or why not. Ranks with the functions that rank the lists.
 * @param rest awaited before each ranking, so that other queries are not delayed
 * @param rules rules that apply to the list; null for none
 * @throws Problem invalid-expression or expression-too-expensive
 */
export async function explainPair(recommender: Recommender, query: PairQuery, rest: () => Promise<void>, rules: RuleSet | null = null): Promise<PairExplanation> {
  const { model } = recommender;
  // Compiled first, so that a wrong expression is refused whatever the ids are.
  const steering = new Steering(model, query, rules);
  const source = findSource(recommender, query);
  const node = model.findNode(query.target_id);
  const item = node < 0 ? -1 : (model.nodeItem[node] ?? -1);
  const unusable = [...sourceCauses(recommender, source, query), ...targetCauses(recommender, node, item, query)];
  if (source === undefined || item < 0) return absent(unusable);
  steering.begin(nodeOf(source));
  const types = typesOf(recommender, source, query);
  const lasting = lastingCauses(recommender, source, item, query);
  const removable = [...typeCauses(recommender, types, item, query), ...steering.failedClauses(item).map(filteredCause)];
  if (lasting.length > 0) return absent([...lasting, ...removable]);
  return explainPlace(recommender, source, item, { query, steering, types, removable, rest });
}

const absent = (causes: Cause[]): PairExplanation => ({ list: null, listed: false, rank: null, score: null, boost: null, rule_boosts: [], reasons: [], causes });

async function explainPlace(
  recommender: Recommender, source: Source | null, item: number,
  { query, steering, types, removable, rest }: { query: PairQuery; steering: Steering; types: TypeFilter; removable: Cause[]; rest: () => Promise<void> },
): Promise<PairExplanation> {
  const { model } = recommender;
  const limit = query.max_recommendations ?? 100;
  const relaxed = removable.length === 0 ? steering : steering.relaxedFor(item);
  const allowed = types.slice();
  allowed[model.typeOfItem(item) + 1] = 1;
  const steered = steering.hasFilter || steering.hasBoost;
  // Ranked with the threshold first: the scores of items far down depend slightly on the length of the list, which the threshold changes.
  const rankWithin = (options: AnswerOptions): Ranking => (query.session === undefined ? rankList(recommender, source, options) : rankSession(recommender, query.session, nodeOf(source), options));
  const perType = source === null && query.session === undefined;
  await rest();
  const first = perType ? null : rankWithin({ types: allowed, limit, threshold: 0, offset: 0, steering: null });
  const trending = first === null || first.kind === 'trending' ? { history: perType ? null : query.session ?? recommender.historyOf(source) } : null;
  const find = async (threshold: number): Promise<Place | Ranking['kind']> => {
    const within = { types: allowed, threshold, steering: steered ? relaxed : null };
    if (trending === null) return findPlace({ rank: (depth) => rankWithin({ ...within, limit: depth, offset: 0 }), rest }, item, limit, model.facts.items);
    relaxed.begin(nodeOf(source));
    return findTrendingPlace(recommender, { ...within, ...trending, limit, perType, rest }, item);
  };
  const { threshold = 0 } = query;
  let place = await find(threshold);
  const isBelow = typeof place === 'string' && threshold > 0;
  if (isBelow) place = await find(0);
  if (typeof place === 'string') return { ...absent([...removable, missingCause(recommender, { source, session: query.session }, item, place)]), list: place };
  const { kind: list, rank, score } = place;
  const causes = [...removable, ...(isBelow ? [belowCause(score, threshold)] : []), ...(place.limit > limit ? [beyondCause(place, limit)] : [])];
  const boost = relaxed.hasBoost ? relaxed.factor(item) : null;
  return { list, listed: causes.length === 0, rank, score, boost, rule_boosts: relaxed.ruleFactors(item), reasons: reasonsOf(recommender, source, item, place), causes };
}

/** Returns undefined for a source without a list, and null for trending items. */
function findSource(recommender: Recommender, { source_id: id, session, unknown }: PairQuery): Source | null | undefined {
  if (id === undefined) return null;
  const node = recommender.model.findNode(id);
  if (node >= 0) return node;
  return recommender.knows(id) || unknown === 'trending' || session !== undefined ? id : undefined;
}

function sourceCauses({ recent }: Recommender, source: Source | null | undefined, { source_id: id = '' }: PairQuery): Cause[] {
  if (source !== undefined) return [];
  return [{ code: 'unknown_source', text: `The model does not know ${quote(id)}, and no event since its training has it as the source.${causeOf(recent, id)} With unknown=trending, its list has trending items.` }];
}

function targetCauses({ recent }: Recommender, node: number, item: number, { target_id: id }: PairQuery): Cause[] {
  if (node < 0) return [{ code: 'unknown_target', text: `The model does not know ${quote(id)}.${causeOf(recent, id)} A model knows the entities and the interactions of its training: check the spelling, or upload the item and train again.` }];
  if (item < 0) return [{ code: 'not_an_item', text: `${quote(id)} is not an item that the model recommends: it is only the source of interactions, or its type occurs nowhere as a target.` }];
  return [];
}

function causeOf(recent: RecentChanges | null, id: string): string {
  const cause = recent?.unknownCause(id) ?? null;
  return cause === null ? '' : ` ${cause}`;
}

/** Causes that no parameter of the list removes. */
function lastingCauses(recommender: Recommender, source: Source | null, item: number, { source_id: from = '', target_id: id, session }: PairQuery): Cause[] {
  const { model } = recommender;
  const causes: Cause[] = [];
  const sourceItem = typeof source === 'number' && session === undefined ? (model.nodeItem[source] ?? -1) : -1;
  if (sourceItem === item) causes.push({ code: 'same_item', text: `${quote(id)} is the source itself, and an item is not related to itself.` });
  if (recommender.hides(item)) causes.push({ code: 'unavailable', text: `${quote(id)} was deleted, or sent with "available": false, and is in no list until it is sent again.` });
  if ((source === null && session === undefined) || sourceItem >= 0) return causes;
  const { items, disliked } = session ?? recommender.historyOf(source);
  const [who, subject] = session === undefined ? [quote(from), quote(from)] : ['the session', 'The session'];
  if (items.includes(item)) causes.push({ code: 'seen', text: `${quote(id)} is in the history of ${who}. POST /v1/recommender/recommend lists such items with include_seen.` });
  if (disliked.includes(item)) causes.push({ code: 'disliked', text: `${subject} rejected ${quote(id)}: the latest interactions that count are negative.` });
  return causes;
}

function typesOf({ model }: Recommender, source: Source | null, { entity_type: names, session }: PairQuery): TypeFilter {
  const sourceType = typeof source === 'number' && session === undefined ? (model.nodeType[source] ?? -1) : null;
  return filterTypes(model, names) ?? defaultTypes(model, sourceType);
}

function typeCauses({ model }: Recommender, types: TypeFilter, item: number, { entity_type: names = [], target_id: id }: PairQuery): Cause[] {
  const type = model.typeOfItem(item);
  if (types[type + 1] === 1) return [];
  const own = type < 0 ? 'no type' : `the type ${quote(model.facts.types[type] ?? '')}`;
  const allowed = model.facts.types.filter((_, at) => types[at + 1] === 1).map(quote);
  const list = names.length > 0 ? `entity_type is ${names.map(quote).join(', ')}` : `without entity_type, the list has the types that occur as targets of interactions: ${allowed.join(', ')}`;
  return [{ code: 'wrong_type', text: `${quote(id)} has ${own}, and ${list}.` }];
}

function belowCause(score: number, threshold: number): Cause {
  const detail = score < threshold ? '' : ' without the threshold; in the shorter list that the threshold leaves, the score is smaller';
  return { code: 'below_threshold', text: `The score is ${score.toFixed(6)}${detail}, and threshold is ${threshold}.` };
}

function beyondCause({ rank, limit: needed }: Place, limit: number): Cause {
  return { code: 'beyond_limit', text: `The rank is ${rank}, and max_recommendations is ${limit}. A list with max_recommendations=${needed} contains the item.` };
}

function missingCause(recommender: Recommender, { source, session }: { source: Source | null; session: GivenHistory | undefined }, item: number, list: Ranking['kind']): Cause {
  const { model } = recommender;
  if (list === 'related' && typeof source === 'number') return missingFromRelated(model, model.nodeItem[source] ?? 0, item);
  if (list === 'history') return missingFromHistory(model, session ?? recommender.historyOf(source), item);
  return missingFromTrending(model, item);
}

function reasonsOf({ model, recent }: Recommender, source: Source | null, item: number, { kind, history, score, value }: Place): Reason[] {
  const alone = new Ranking();
  alone.kind = kind;
  alone.history = history;
  alone.push(item, score, value);
  return explain(model, nodeOf(source), alone, recent)[0] ?? [];
}

const nodeOf = (source: Source | null): number => (typeof source === 'number' ? source : -1);
