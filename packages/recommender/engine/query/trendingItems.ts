import type { ModelReader } from '../modelFile/openModel.ts';
import type { TypeFilter } from './listOptions.ts';
import type { TypeLists } from './mergeTypes.ts';

/**
 * Collects the trending items of each allowed type, at most `perType` of each. The score is the trend divided by the largest
 * trend of the type, so scores compare items of one type only.
 * @param skip 1 for each item to leave out; null for none
 */
export function collectTrending(
  model: ModelReader,
  types: TypeFilter,
  perType: number,
  skip: Uint8Array | null,
  lists: TypeLists,
): void {
  for (let group = 0; group < types.length; group += 1) {
    if (types[group] !== 1) continue;
    const first = model.trendingPointer[group] ?? 0;
    const end = model.trendingPointer[group + 1] ?? 0;
    const largest = model.trend[model.trending[first] ?? 0] ?? 0;
    let taken = 0;
    for (let at = first; at < end && taken < perType; at += 1) {
      const item = model.trending[at] ?? 0;
      if (skip?.[item] === 1) continue;
      const trend = model.trend[item] ?? 0;
      lists.entries.push(item, trend / largest, trend);
      taken += 1;
    }
    lists.endList();
  }
}
