import type { ModelReader } from '../modelFile/openModel.ts';
import { scoreUnits } from '../modelFile/storedLists.ts';
import type { TypeFilter } from './listOptions.ts';
import type { TypeLists } from './mergeTypes.ts';
import type { RaisedItem, RecentChanges } from './recentChanges.ts';

/**
 * Collects the trending items of each allowed type, at most `perType` of each. The score is the trend divided by the largest
 * trend of the type, so scores compare items of one type only.
 * @param skip 1 for each item to leave out; null for none
 * @param recent interactions since the training; null for none
 */
export function collectTrending(
  model: ModelReader,
  types: TypeFilter,
  perType: number,
  skip: Uint8Array | null,
  lists: TypeLists,
  recent: RecentChanges | null = null,
): void {
  const hidden = recent?.hidden() ?? null;
  for (let group = 0; group < types.length; group += 1) {
    if (types[group] !== 1) continue;
    let largest = 0;
    let taken = 0;
    for (const { item, trend } of byTrend(model, group, recent?.raised(group - 1) ?? [])) {
      if (taken >= perType) break;
      largest ||= trend;
      if (skip?.[item] === 1 || hidden?.[item] === 1) continue;
      lists.entries.push(item, trend / largest, trend);
      taken += 1;
    }
    lists.endList();
  }
}

/** An item of a complete list of trending items. */
export interface TrendingEntry {
  item: number;
  /** As in answers. */
  score: number;
  /** Not rounded; decides which of two types comes first. */
  exact: number;
  trend: number;
}

/**
 * Yields the complete list that `collectTrending` collects of one type, for readers that pause. The yielded object is reused.
 * @param group index of the type + 1
 * @param skip items to leave out
 */
export function* trendingEntries(model: ModelReader, group: number, skip: ReadonlySet<number>, recent: RecentChanges | null): Generator<TrendingEntry> {
  const hidden = recent?.hidden() ?? null;
  const entry: TrendingEntry = { item: 0, score: 0, exact: 0, trend: 0 };
  let largest = 0;
  for (const { item, trend } of byTrend(model, group, recent?.raised(group - 1) ?? [])) {
    largest ||= trend;
    if (skip.has(item) || hidden?.[item] === 1) continue;
    entry.item = item;
    entry.exact = trend / largest;
    entry.score = Math.round(entry.exact * scoreUnits) / scoreUnits;
    entry.trend = trend;
    yield entry;
  }
}

/** Merges complete lists of types as `TypeLists` does: by descending score, of equal scores the earlier list first. */
export function* mergeTrending(lists: readonly Iterator<TrendingEntry>[]): Generator<TrendingEntry> {
  const heads = lists.map((list) => list.next());
  for (;;) {
    let best = -1;
    let bestScore = -1;
    for (const [at, { done, value }] of heads.entries()) {
      if (done === true || value.exact <= bestScore) continue;
      best = at;
      bestScore = value.exact;
    }
    const head = heads[best];
    if (head === undefined || head.done === true) return;
    yield head.value;
    heads[best] = (lists[best] as Iterator<TrendingEntry>).next();
  }
}

/** Yields the items of a type by descending trend. The yielded object is reused. */
function* byTrend(model: ModelReader, group: number, raised: readonly RaisedItem[]): Generator<RaisedItem> {
  const raisedItems = new Set(raised.map(({ item }) => item));
  const end = model.trendingPointer[group + 1] ?? 0;
  const next: RaisedItem = { item: 0, trend: 0 };
  let place = 0;
  for (let at = model.trendingPointer[group] ?? 0; at < end; at += 1) {
    const item = model.trending[at] ?? 0;
    if (raisedItems.has(item)) continue;
    next.item = item;
    next.trend = model.trend[item] ?? 0;
    for (let first = raised[place]; first !== undefined && first.trend >= next.trend; first = raised[place]) {
      place += 1;
      yield first;
    }
    yield next;
  }
  yield* raised.slice(place);
}
