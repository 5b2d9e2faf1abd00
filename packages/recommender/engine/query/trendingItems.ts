import type { ModelReader } from '../modelFile/openModel.ts';
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
