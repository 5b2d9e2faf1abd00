import type { AddedItems } from '../modelFile/addedItems.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import { scoreUnits } from '../modelFile/storedLists.ts';
import { Row } from '../modelFile/wordRows.ts';
import { sortLargestFirst } from '../ranking/selectLargest.ts';
import { AddedSums } from './addedSums.ts';
import { userDirection } from './coldItems.ts';
import { embeddingProducts } from './embeddingProducts.ts';
import type { Ranking } from './ranking.ts';

/** Maximum number of added items that are placed in a list: those with the largest sums of scores. */
const placedLimit = 32;
/** Number of ranks of a stored list among which added items are placed. An added item behind them is in the list only if the list ends there. */
export const placedRanks = 100;

/** An added item and the place in the list before which the item belongs. */
interface Placement {
  item: number;
  place: number;
  score: number;
}

/**
 * Inserts added items into a user's stored list, which has no ranking values to compare with. Among the items of its type, an item gets the place that
 * the product of its embedding with the user's vector has among their products. The score is the mean of the scores in the lists of the history's
 * items, limited to the scores beside it.
 * @param hidden 1 for each item to leave out; null for none
 */
export function placeAdded(model: ModelReader, added: AddedItems, user: number, ranking: Ranking, hidden: Uint8Array | null): void {
  const sums = new AddedSums(added.firstItem, model.facts.items);
  const candidates = collect(model, added, user, sums).filter((item) => hidden?.[item] !== 1);
  if (candidates.length > 0) insert(ranking, placements(model, user, candidates, ranking, sums));
}

/** Returns the placements, in the order of the list. */
function placements(model: ModelReader, user: number, candidates: Int32Array, { item: items, count }: Ranking, sums: AddedSums): Placement[] {
  const listed = items.subarray(0, Math.min(count, placedRanks));
  const direction = userDirection(model, user);
  const products = embeddingProducts(model, listed, direction);
  const types = listed.map((item) => model.typeOfItem(item));
  const own = embeddingProducts(model, candidates, direction);
  sortLargestFirst(own, candidates, candidates.length);
  const found: Placement[] = [];
  for (const [at, item] of candidates.entries()) {
    const product = own[at] ?? 0;
    if (product <= 0) continue;
    const place = placeOf(model.typeOfItem(item), product, types, products);
    if (place < placedRanks || place === count) found.push({ item, place, score: sums.mean(item) });
  }
  // The larger product stays first at the same place.
  return found.sort((a, b) => a.place - b.place);
}

/** Place in the list before which an item belongs: behind as many items of its type as have larger products. */
function placeOf(type: number, product: number, types: Int32Array, products: Float64Array): number {
  let larger = 0;
  for (let at = 0; at < types.length; at += 1) if (types[at] === type && (products[at] ?? 0) >= product) larger += 1;
  let place = 0;
  for (; place < types.length && larger > 0; place += 1) if (types[place] === type) larger -= 1;
  return place;
}

function insert(ranking: Ranking, placed: readonly Placement[]): void {
  const { count } = ranking;
  const items = ranking.item.slice(0, count);
  const scores = ranking.score.slice(0, count);
  let next = 0;
  let previous = 1;
  const push = (item: number, score: number): void => {
    ranking.push(item, score, 0);
    previous = score;
  };
  ranking.count = 0;
  for (let place = 0; place <= count; place += 1) {
    const below = scores[place] ?? 0;
    for (; placed[next]?.place === place; next += 1) {
      const { item, score } = placed[next] as Placement;
      push(item, Math.min(previous, Math.max(below, Math.round(score * scoreUnits) / scoreUnits)));
    }
    if (place < count) push(items[place] ?? 0, below);
  }
}

/** The added items with the largest sums of scores in the lists of the history's items. */
function collect(model: ModelReader, added: AddedItems, user: number, sums: AddedSums): Int32Array {
  const history = new Row();
  model.history.read(user, history);
  for (let at = history.start; at < history.start + history.count; at += 1) {
    for (const { item, score } of added.additionsTo(history.ints[at] ?? 0)) sums.add(item, score);
  }
  return sums.largest(placedLimit);
}
