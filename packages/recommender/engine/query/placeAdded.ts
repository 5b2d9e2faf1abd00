import type { AddedItems } from '../modelFile/addedItems.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { embeddingProduct, userDirection } from './coldItems.ts';
import { scoreUnits } from '../modelFile/storedLists.ts';
import type { Ranking } from './ranking.ts';

/** Maximum number of added items that are placed in a list: those with the largest sums of scores. */
const placedLimit = 32;

/** An added item that belongs to the lists of some items of a history. */
interface Candidate {
  item: number;
  sum: number;
  count: number;
}

/**
 * Inserts added items into a user's stored list, which has no ranking values to compare with. Among the items of its type, an item gets the place that
 * the product of its embedding with the user's vector has among their products. The score is the mean of the scores in the lists of the history's
 * items, limited to the scores beside it.
 * @param hidden 1 for each item to leave out; null for none
 * @param limit maximum number of entries of the list
 */
export function placeAdded(model: ModelReader, added: AddedItems, user: number, ranking: Ranking, hidden: Uint8Array | null, limit: number): void {
  const candidates = collect(model, added, user).filter(({ item }) => hidden?.[item] !== 1);
  if (candidates.length === 0) return;
  const row = new Row();
  const direction = userDirection(model, user);
  const productOf = (item: number): number => embeddingProduct(model, item, direction, row);
  const products = Float64Array.from(ranking.item.subarray(0, ranking.count), productOf);
  const types = Int32Array.from(ranking.item.subarray(0, ranking.count), (item) => model.typeOfItem(item));
  // The largest first, so that an earlier insertion moves no later one.
  const placed = candidates.map((each) => ({ ...each, product: productOf(each.item) })).sort((a, b) => b.product - a.product || a.item - b.item);
  const places = placed.map(({ item, product }) => placeOf(model.typeOfItem(item), product, types, products));
  const order = placed.map((each, at) => ({ ...each, place: places[at] ?? 0 })).filter(({ product }) => product > 0).sort((a, b) => a.place - b.place);
  order.forEach(({ item, sum, count, place }, before) => insert(ranking, place + before, item, sum / count));
  ranking.count = Math.min(ranking.count, limit);
}

function collect(model: ModelReader, added: AddedItems, user: number): Candidate[] {
  const found = new Map<number, Candidate>();
  const history = new Row();
  model.history.read(user, history);
  for (let at = history.start; at < history.start + history.count; at += 1) {
    for (const { item, score } of added.additionsTo(history.ints[at] ?? 0)) {
      const known = found.get(item);
      if (known === undefined) found.set(item, { item, sum: score, count: 1 });
      else {
        known.sum += score;
        known.count += 1;
      }
    }
  }
  return [...found.values()].sort((a, b) => b.sum - a.sum || a.item - b.item).slice(0, placedLimit);
}

/** Place in the list before which an item belongs: behind as many items of its type as have larger products. */
function placeOf(type: number, product: number, types: Int32Array, products: Float64Array): number {
  let larger = 0;
  for (let at = 0; at < types.length; at += 1) if (types[at] === type && (products[at] ?? 0) >= product) larger += 1;
  let place = 0;
  for (; place < types.length && larger > 0; place += 1) if (types[place] === type) larger -= 1;
  return place;
}

function insert(ranking: Ranking, place: number, item: number, score: number): void {
  ranking.push(item, 0, 0);
  const { item: items, score: scores, value: values } = ranking;
  items.copyWithin(place + 1, place, ranking.count - 1);
  scores.copyWithin(place + 1, place, ranking.count - 1);
  values.copyWithin(place + 1, place, ranking.count - 1);
  const below = place + 1 < ranking.count ? (scores[place + 1] ?? 0) : 0;
  items[place] = item;
  scores[place] = Math.min(place === 0 ? 1 : (scores[place - 1] ?? 1), Math.max(below, Math.round(score * scoreUnits) / scoreUnits));
  values[place] = 0;
}
