import { storedListLimit } from '../../engine/modelFile/storedLists.ts';
import type { GivenHistory } from '../../engine/query/givenHistory.ts';
import type { ListOptions, TypeFilter } from '../../engine/query/listOptions.ts';
import { Ranking } from '../../engine/query/ranking.ts';
import type { Recommender, Source } from '../../engine/query/recommender.ts';
import { diversify } from './diversify.ts';
import { limitGroups, type GroupLimit } from './limitGroups.ts';
import type { Entry } from './entry.ts';
import { scoreSeen } from '../../engine/query/sessionHistory.ts';
import type { Steering } from './steering.ts';
import { visitPassing } from './visitPassing.ts';

/** Number of items that boost, diversity and groups arrange. */
const arrangedItems = 1000;
/** Factor by which more of the unsteered list is ranked if too few items pass. */
const growth = 8;

/** An entity or a session that a list is for, or nobody (trending items). */
export interface ListSource {
  source: Source | null;
  /** History that replaces the entity's history; null for none. */
  history: GivenHistory | null;
}

/** Everything that a request says about one list. Items are the model's numbers. */
export interface ListRequest {
  types: TypeFilter | null;
  limit: number;
  offset: number;
  threshold: number;
  steering: Steering;
  excluded: ReadonlySet<number>;
  /** The only items to rank; null for all. */
  candidates: ReadonlySet<number> | null;
  /** History whose items are recommended too; null for none. */
  seen: GivenHistory | null;
  diversity: number;
  perGroup: GroupLimit | null;
  /** Items at fixed places, from 0, ascending. */
  pinned: readonly { item: number; place: number }[];
}

/**
 * Returns the list of a request. Order of the steps: ranking, candidates, exclusions and filter, boost, threshold, diversity,
 * groups, pinned items, offset and limit.
 */
export function rankRequest(recommender: Recommender, from: ListSource, request: ListRequest): Ranking {
  const { diversity, perGroup, pinned, offset, limit } = request;
  const { entries, kind, history } = collect(recommender, from, request);
  let arranged = entries.filter(({ score }) => score >= request.threshold);
  const wanted = offset + limit;
  if (diversity > 0) arranged = diversify(recommender.model, arranged, diversity, wanted);
  if (perGroup !== null) arranged = limitGroups(arranged, perGroup);
  arranged = placePinned(arranged, entries, pinned.filter(({ item }) => !recommender.hides(item)));
  const listed = arranged.slice(offset, wanted);
  const ranking = new Ranking(Math.max(1, listed.length));
  ranking.kind = kind;
  ranking.history = history;
  ranking.skipped = offset;
  for (const { item, score, value } of listed) ranking.push(item, score, value);
  return ranking;
}

function collect(recommender: Recommender, from: ListSource, request: ListRequest): { entries: Entry[] } & Pick<Ranking, 'kind' | 'history'> {
  const { steering, candidates, offset, limit } = request;
  const { items } = recommender.model.facts;
  const arranges = steering.hasBoost || request.diversity > 0 || request.perGroup !== null;
  const wanted = candidates !== null ? candidates.size : Math.max(offset + limit, arranges ? arrangedItems : 0);
  // These ranks are in the model file, or are computed in any case.
  const first = Math.max(wanted, (from.history === null ? recommender.model.userLists?.limit : undefined) ?? storedListLimit);
  let depth = candidates === null ? Math.min(items, first) : items;
  for (;;) {
    const ranking = rank(recommender, from, { types: request.types, limit: depth, threshold: 0 });
    const entries = acceptedEntries(ranking, wanted, request);
    if (entries.length >= wanted || ranking.count < depth || depth >= items) {
      const { kind, history } = ranking;
      return { entries: complete(recommender, from, entries, request), kind, history };
    }
    depth = Math.min(items, depth * growth);
  }
}

function rank(recommender: Recommender, { source, history }: ListSource, options: ListOptions): Ranking {
  if (history !== null) return recommender.recommendFor(history, options);
  return source === null ? recommender.trending(options) : recommender.recommend(source, options);
}

function acceptedEntries(ranking: Ranking, wanted: number, request: ListRequest): Entry[] {
  const entries: Entry[] = [];
  const { candidates, excluded, steering } = request;
  const allows = candidates === null && excluded.size === 0 ? null : (item: number) => isAllowed(item, request);
  visitPassing(ranking, steering, allows, (at) => {
    entries.push({ item: ranking.item[at] ?? 0, score: ranking.score[at] ?? 0, value: ranking.value[at] ?? 0 });
    return entries.length < wanted;
  });
  return entries;
}

function isAllowed(item: number, { candidates, excluded }: ListRequest): boolean {
  return (candidates === null || candidates.has(item)) && !excluded.has(item);
}

function accepts(item: number, request: ListRequest): boolean {
  return isAllowed(item, request) && request.steering.accepts(item);
}

/** Adds seen items and candidates that the ranking does not contain, and applies the boost. */
function complete(recommender: Recommender, from: ListSource, entries: Entry[], request: ListRequest): Entry[] {
  const { model } = recommender;
  const { seen, steering, candidates, types } = request;
  if (seen === null && candidates === null && !steering.hasBoost) return entries;
  const listed = new Set(entries.map(({ item }) => item));
  const allowed = (item: number): boolean => !listed.has(item) && !recommender.hides(item) && accepts(item, request) && (types === null || types[model.typeOfItem(item) + 1] === 1);
  if (seen !== null) {
    for (const [item, score] of scoreSeen(model, seen)) if (allowed(item)) entries.push({ item, score: Math.min(1, score), value: score });
    entries.sort((a, b) => b.score - a.score);
    for (const { item } of entries) listed.add(item);
  }
  if (steering.hasBoost) boost(entries, steering);
  if (candidates === null) return entries;
  const unseen = request.seen === null ? knownOf(recommender, from) : new Set<number>();
  const rest = [...candidates].filter((item) => allowed(item) && !unseen.has(item));
  rest.sort((a, b) => (model.trend[b] ?? 0) - (model.trend[a] ?? 0) || a - b);
  return [...entries, ...rest.map((item) => ({ item, score: 0, value: 0 }))];
}

/** The items that a list of the source never contains: the item itself, and the items of the history. */
function knownOf(recommender: Recommender, { source, history }: ListSource): Set<number> {
  const item = typeof source === 'number' ? (recommender.model.nodeItem[source] ?? -1) : -1;
  if (history === null && item >= 0) return new Set([item]);
  const { items, disliked } = history ?? recommender.historyOf(source);
  return new Set([...items, ...disliked]);
}

function boost(entries: Entry[], steering: Steering): void {
  const products = new Map(entries.map(({ item, score }) => [item, score * steering.factor(item)]));
  entries.sort((a, b) => (products.get(b.item) ?? 0) - (products.get(a.item) ?? 0));
  for (const entry of entries) entry.score = Math.min(1, products.get(entry.item) ?? 0);
}

function placePinned(entries: readonly Entry[], all: readonly Entry[], pinned: ListRequest['pinned']): Entry[] {
  const fixed = new Set(pinned.map(({ item }) => item));
  const placed = entries.filter(({ item }) => !fixed.has(item));
  for (const { item, place } of pinned) placed.splice(place, 0, all.find((entry) => entry.item === item) ?? { item, score: 0, value: 0 });
  return placed;
}
