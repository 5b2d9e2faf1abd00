import type { ModelReader } from '../../engine/modelFile/openModel.ts';
import { defaultTypes, type ListOptions } from '../../engine/query/listOptions.ts';
import { Ranking } from '../../engine/query/ranking.ts';
import type { Recommender, Source } from '../../engine/query/recommender.ts';
import { storedListLimit } from '../../engine/modelFile/storedLists.ts';
import type { Steering } from './steering.ts';
import { visitPassing } from './visitPassing.ts';

/** Number of items of the unsteered list whose scores are multiplied by the boost. */
export const boostedItems = 1000;
/** Factor by which more of the unsteered list is ranked if too few items pass the filter. */
const growth = 8;

/** Limits of a steered list; `offset` leaves out the first items. */
export interface SteeredOptions extends ListOptions {
  offset: number;
}

/**
 * Returns the list of a source with a filter, a boost and an offset. Items keep the order and the scores of the unsteered
 * list. With a boost, the scores of the first 1000 items that pass the filter are multiplied by the boost (at most 1), and
 * the items are sorted by the products.
 * @param steering expressions, begun for the source
 */
export function rankSteered(recommender: Recommender, source: Source, options: SteeredOptions, steering: Steering): Ranking {
  return steer(recommender, (within) => recommender.recommend(source, within), options, steering);
}

/** As `rankSteered`, for a list that `rank` ranks. */
export function steer(recommender: Recommender, rank: (within: ListOptions) => Ranking, options: SteeredOptions, steering: Steering): Ranking {
  const { types, limit, threshold, offset } = options;
  const wanted = steering.hasBoost ? Math.max(boostedItems, offset + limit) : offset + limit;
  const floor = steering.hasBoost ? 0 : threshold;
  const passed = collectPassing(wanted, recommender.model, steering, (depth) => rank({ types, limit: depth, threshold: floor }));
  if (steering.hasBoost) applyBoost(passed, steering);
  passed.cutBelow(threshold);
  return window(passed, offset, limit);
}

/** Ranks more and more of the unsteered list until enough items pass or the list ends. */
function collectPassing(wanted: number, { facts: { items }, userLists }: ModelReader, steering: Steering, rank: (depth: number) => Ranking): Ranking {
  const passed = new Ranking(Math.max(1, Math.min(wanted, items)));
  // A list of at most this length is stored in the model file, so ranking it costs nothing.
  let depth = Math.min(Math.max(wanted, userLists?.limit ?? storedListLimit), items);
  for (;;) {
    const ranking = rank(depth);
    passed.kind = ranking.kind;
    passed.history = ranking.history;
    passed.count = 0;
    visitPassing(ranking, steering, null, (at) => {
      passed.push(ranking.item[at] ?? 0, ranking.score[at] ?? 0, ranking.value[at] ?? 0);
      return passed.count < wanted;
    });
    if (passed.count >= wanted || ranking.count < depth || depth >= items) return passed;
    depth = Math.min(items, depth * growth);
  }
}

/** Multiplies scores by the boost and sorts; of equal products, the item that was first stays first. */
function applyBoost(ranking: Ranking, steering: Steering): void {
  const entries = entriesOf(ranking).map((entry) => ({ ...entry, product: entry.score * steering.factor(entry.item) }));
  entries.sort((a, b) => b.product - a.product);
  ranking.count = 0;
  for (const { item, product, value } of entries) ranking.push(item, Math.min(1, product), value);
}

/**
 * Returns trending items with a filter, a boost and an offset, each per entity type.
 * @param steering expressions, begun for no source
 */
export function trendingSteered(recommender: Recommender, options: SteeredOptions, steering: Steering): Ranking {
  const allowed = options.types ?? defaultTypes(recommender.model, null);
  const entries: Entry[] = [];
  for (const [at, isAllowed] of allowed.entries()) {
    if (isAllowed !== 1) continue;
    const types = new Uint8Array(allowed.length);
    types[at] = 1;
    const rank = (within: ListOptions): Ranking => recommender.trending({ ...within, types });
    for (const entry of entriesOf(steer(recommender, rank, options, steering))) entries.push(entry);
  }
  entries.sort((a, b) => b.score - a.score);
  const merged = new Ranking();
  merged.kind = 'trending';
  merged.skipped = options.offset;
  for (const { item, score, value } of entries) merged.push(item, score, value);
  return merged;
}

interface Entry {
  item: number;
  score: number;
  value: number;
}

function entriesOf(ranking: Ranking): Entry[] {
  return Array.from({ length: ranking.count }, (_, at) => ({ item: ranking.item[at] ?? 0, score: ranking.score[at] ?? 0, value: ranking.value[at] ?? 0 }));
}

/** Keeps `limit` entries from `offset` on. */
function window(ranking: Ranking, offset: number, limit: number): Ranking {
  const end = Math.min(ranking.count, offset + limit);
  const { item, score, value } = ranking;
  item.copyWithin(0, offset, end);
  score.copyWithin(0, offset, end);
  value.copyWithin(0, offset, end);
  ranking.count = Math.max(0, end - offset);
  ranking.skipped = offset;
  return ranking;
}
