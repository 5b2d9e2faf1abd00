import type { GivenHistory } from '../../engine/query/givenHistory.ts';
import type { TypeFilter } from '../../engine/query/listOptions.ts';
import { Ranking } from '../../engine/query/ranking.ts';
import type { Recommender } from '../../engine/query/recommender.ts';
import { mergeTrending, trendingEntries, type TrendingEntry } from '../../engine/query/trendingItems.ts';
import { boostedItems } from '../steering/rankSteered.ts';
import type { Steering } from '../steering/steering.ts';
import { visitPassing } from '../steering/visitPassing.ts';
import type { Place } from './findPlace.ts';

/** Number of items that are read between two rests: a few milliseconds with a filter. */
const sliceItems = 4_096;

/** A list of trending items, which can have all items of the model. */
export interface TrendingList {
  /** Allowed types, with the type of the item. */
  types: TypeFilter;
  /** The history of the list, whose items are left out; null for none. */
  history: GivenHistory | null;
  threshold: number;
  limit: number;
  /** Begun for the list; null without filter and boost. */
  steering: Steering | null;
  /** Whether the limit counts for each type, as in lists without a source. */
  perType: boolean;
  /** Awaited after each slice of the list, because a list of a million items takes a second. */
  rest: () => Promise<void>;
}

/** An item that passes the filter, in the order without boosts. `key` decides on the order of items of different types. */
interface Passed {
  item: number;
  key: number;
  score: number;
  trend: number;
}

/**
 * Finds the rank of an item among trending items, in the list with the given limit or, if that list does not contain the item, in the shortest list that does: the same as `findPlace`
 * finds by ranking shorter and longer lists, but the complete lists are read once, in slices.
 * @returns `trending` if the complete list does not contain the item
 */
export async function findTrendingPlace(recommender: Recommender, list: TrendingList, item: number): Promise<Place | 'trending'> {
  const { perType, types, threshold } = list;
  const group = perType ? recommender.model.typeOfItem(item) + 1 : everyType;
  const own = await findInGroup(recommender, list, item, group);
  if (own === null || own.score < threshold) return 'trending';
  let { rank } = own;
  if (perType) for (const [other, isAllowed] of types.entries()) if (isAllowed === 1 && other !== group) rank += await countBefore(recommender, list, own, other, other < group);
  return { rank, score: own.score, value: own.trend, kind: 'trending', history: list.history, count: own.rank, limit: own.limit };
}

/** The group of a list with all allowed types; other groups are the index of a type + 1. */
const everyType = -1;

/** The place of an item in the list of its group, and the limit of the shortest list with it. */
interface OwnPlace extends Passed {
  rank: number;
  limit: number;
}

async function findInGroup(recommender: Recommender, list: TrendingList, item: number, group: number): Promise<OwnPlace | null> {
  const { steering, limit } = list;
  const found: Passed[] = [];
  let position = 0;
  if (steering?.hasBoost !== true) {
    await visitPassed(recommender, list, group, (entry) => {
      position += 1;
      if (entry.item === item) found.push({ ...entry });
      return found.length === 0;
    });
    const [own] = found;
    return own === undefined ? null : { ...own, rank: position, limit: Math.max(limit, position) };
  }
  // The boost sorts the first items of the list, also those after this item.
  const products: number[] = [];
  const sorted = Math.max(boostedItems, limit);
  await visitPassed(recommender, list, group, (entry) => {
    products.push(entry.score * steering.factor(entry.item));
    if (entry.item === item) {
      found.push({ ...entry });
      position = products.length;
    }
    return found.length === 0 || products.length < sorted;
  });
  const [own] = found;
  if (own === undefined) return null;
  const product = products[position - 1] ?? 0;
  const rank = products.reduce((sum, other, at) => sum + (other > product || (other === product && at < position) ? 1 : 0), 0);
  const score = Math.min(1, product);
  return { ...own, score, key: score, rank, limit: position > sorted ? position : Math.max(limit, rank) };
}

/** Number of items of another type that the list has before an item. @param isEarlier whether items of the type come first among equals */
async function countBefore(recommender: Recommender, list: TrendingList, { key, limit }: OwnPlace, group: number, isEarlier: boolean): Promise<number> {
  const { steering } = list;
  const isBefore = (other: number): boolean => other > key || (isEarlier && other === key);
  const isBoosted = steering?.hasBoost === true;
  const read = isBoosted ? Math.max(boostedItems, limit) : limit;
  let visited = 0;
  let count = 0;
  await visitPassed(recommender, list, group, (entry) => {
    visited += 1;
    const comesBefore = isBefore(isBoosted ? Math.min(1, entry.score * steering.factor(entry.item)) : entry.key);
    if (comesBefore) count += 1;
    return visited < read && (isBoosted || comesBefore);
  });
  return Math.min(count, limit);
}

/** Visits the items of a group that pass the filter, best first, until `take` returns false. The visited object is reused. */
async function visitPassed(recommender: Recommender, { types, history, steering, rest }: TrendingList, group: number, take: (entry: Passed) => boolean): Promise<void> {
  const { model, recent } = recommender;
  const skip = new Set([...(history?.items ?? []), ...(history?.disliked ?? [])]);
  const listOf = (each: number): Generator<TrendingEntry> => trendingEntries(model, each, skip, recent);
  const entries = group === everyType ? mergeTrending([...types.keys()].filter((each) => types[each] === 1).map(listOf)) : listOf(group);
  const slice = new Ranking(sliceItems);
  const exact = new Float64Array(sliceItems);
  for (;;) {
    slice.count = 0;
    for (let next = entries.next(); next.done !== true; next = entries.next()) {
      exact[slice.count] = next.value.exact;
      slice.push(next.value.item, next.value.score, next.value.trend);
      if (slice.count === sliceItems) break;
    }
    if (!visitSlice(slice, exact, steering, take) || slice.count < sliceItems) return;
    await rest();
  }
}

/** @returns false if `take` did */
function visitSlice(slice: Ranking, exact: Float64Array, steering: Steering | null, take: (entry: Passed) => boolean): boolean {
  const { item, score, value, count } = slice;
  const entry: Passed = { item: 0, key: 0, score: 0, trend: 0 };
  const takeAt = (at: number): boolean => {
    entry.item = item[at] ?? 0;
    entry.score = score[at] ?? 0;
    entry.trend = value[at] ?? 0;
    entry.key = steering === null ? (exact[at] ?? 0) : entry.score;
    return take(entry);
  };
  let goesOn = true;
  if (steering === null) for (let at = 0; at < count && goesOn; at += 1) goesOn = takeAt(at);
  else visitPassing(slice, steering, null, (at) => (goesOn = takeAt(at)));
  return goesOn;
}
