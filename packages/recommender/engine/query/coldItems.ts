import { Row } from '../modelFile/wordRows.ts';
import type { UserModel } from '../modelFile/userModel.ts';
import { calibrationSample } from './calibrationSample.ts';
import { embeddingProducts } from './embeddingProducts.ts';
import { inverseRoots } from './inverseRoots.ts';
import type { UserSums } from './userSums.ts';

/** Limits of the work per user: history items whose related rows are read, and cold items that are scored. */
const maxHistory = 200;
const maxCold = 1000;

/** By the model's degrees, which views of a model share. */
const coldModels = new WeakMap<Int32Array, boolean>();

/** Whether the model file has items without interactions. Operator rows of a history never contain such items. */
export function hasColdItems(model: UserModel): boolean {
  let has = coldModels.get(model.degree);
  if (has === undefined) {
    // Added items have no users either, but `collectAdded` finds them.
    has = model.facts.rank > 0 && model.degree.subarray(0, model.added?.firstItem).includes(0);
    coldModels.set(model.degree, has);
  }
  return has;
}

/**
 * Adds the cold items that are related to items of the history. An item's value is (r_u D_i^-1/2 V^T).(e/s), scaled by the
 * regression of operator sums on the same product over warm items with few users. The score is the mean
 * of the scores in the related rows that contain the item.
 */
export function addColdItems(model: UserModel, user: number, summed: number, sums: UserSums): void {
  const warm = sums.touched;
  if (hasColdItems(model)) collectColdItems(model, summed, sums);
  const known = sums.touched;
  if (model.added !== null) collectAdded(model.added, summed, sums);
  if (sums.touched === warm) return;
  const direction = userDirection(model, user);
  if (known > warm) setValues(model, direction, warm, known, slopeOf(model, fewestUsed(model), direction, sums), sums);
  if (sums.touched === known) return;
  const reached = calibrationSample(sums.item, model.degree, warm).map((place) => sums.item[place] ?? 0);
  setValues(model, direction, known, sums.touched, slopeOf(model, reached, direction, sums), sums);
}

/** Sets the values of the items at the places after `from`, up to `to`. */
function setValues(model: UserModel, direction: Float64Array, from: number, to: number, scale: number, sums: UserSums): void {
  const products = embeddingProducts(model, sums.item.subarray(from + 1, to + 1), direction);
  for (const [at, product] of products.entries()) sums.value[from + 1 + at] = scale * product;
}

function collectColdItems(model: UserModel, summed: number, sums: UserSums): void {
  const { history, row } = sums;
  const warmCount = sums.touched;
  const related = model.added?.filedRelated ?? model.related;
  for (let at = history.count - 1; at >= history.count - Math.min(summed, maxHistory); at -= 1) {
    const from = history.ints[history.start + at] ?? 0;
    if (model.leadsToCold?.[from] === 0) continue;
    related.read(from, row);
    const { ints, floats, start, count } = row;
    for (let entry = 0; entry < count; entry += 1) {
      const item = ints[start + entry] ?? 0;
      if (model.degree[item] !== 0 || sums.seen[item] === 1) continue;
      if (sums.touched - warmCount >= maxCold && sums.place[item] === 0) continue;
      const place = sums.touch(item);
      sums.score[place] = (sums.score[place] ?? 0) + (floats[start + 2 * count + entry] ?? 0);
      sums.evidence[place] = (sums.evidence[place] ?? 0) + 1;
    }
  }
}

/** Adds the items that were added to the lists of the history's items. */
function collectAdded(added: NonNullable<UserModel['added']>, summed: number, sums: UserSums): void {
  const { history } = sums;
  const warmCount = sums.touched;
  for (let at = history.count - 1; at >= history.count - Math.min(summed, maxHistory); at -= 1) {
    for (const { item, score } of added.additionsTo(history.ints[history.start + at] ?? 0)) {
      if (sums.seen[item] === 1 || (sums.touched - warmCount >= maxCold && sums.place[item] === 0)) continue;
      const place = sums.touch(item);
      sums.score[place] = (sums.score[place] ?? 0) + score;
      sums.evidence[place] = (sums.evidence[place] ?? 0) + 1;
    }
  }
}

/** The user's vector divided by s; its product with an item's embedding is the item's value before scaling. */
export function userDirection(model: UserModel, user: number): Float64Array {
  const row = new Row();
  model.readUserFactor(user, row);
  const roots = inverseRoots(model.eigenvalues);
  const direction = new Float64Array(model.facts.rank);
  for (let k = 0; k < direction.length; k += 1) direction[k] = (row.floats[row.start + k] ?? 0) * (roots[k] ?? 0);
  return direction;
}

/** Product of an item's embedding with a vector. */
export function embeddingProduct(model: UserModel, item: number, direction: Float64Array, row: Row): number {
  model.readEmbedding(item, row);
  const { floats, start } = row;
  let sum = 0;
  for (let k = 0; k < direction.length; k += 1) sum += (direction[k] ?? 0) * (floats[start + k] ?? 0);
  return sum;
}

/**
 * Slope of the least squares line through 0 of operator sums over products; 0 if the slope is negative.
 *
 * For items that had no users at the training, over the catalogue's warm items with the fewest users, which such an item resembles most, also those that the history does not lead to: their
 * sum is 0. With those only that the history leads to, cold items took 10 to 14 % of lists with 3 and 6 interactions a user, of which .1 % came true, and cost 1 to 2 % of recall@20
 * (bench/results/metadata.md). An item that arrived later has had no chance to find users, so the items that the history leads to are its measure; with a sample of all of these,
 * not of those with the fewest users, the scale would be about three times as large (bench/results/quality.md).
 */
function slopeOf(model: UserModel, sample: Int32Array, direction: Float64Array, sums: UserSums): number {
  const products = embeddingProducts(model, sample, direction);
  let [both, squares] = [0, 0];
  for (const [at, product] of products.entries()) {
    both += product * (sums.value[sums.place[sample[at] ?? 0] ?? 0] ?? 0);
    squares += product * product;
  }
  return squares > 0 ? Math.max(0, both / squares) : 0;
}

/** By the model's degrees, which views of a model share. */
const fewestModels = new WeakMap<Int32Array, Int32Array>();

/** The catalogue's warm items with the fewest users, see `calibrationSample`. */
function fewestUsed(model: UserModel): Int32Array {
  const known = fewestModels.get(model.degree);
  if (known !== undefined) return known;
  const warm = Int32Array.from(model.degree.keys()).filter((item) => (model.degree[item] ?? 0) > 0);
  const items = new Int32Array(warm.length + 1);
  items.set(warm, 1);
  const sample = calibrationSample(items, model.degree, warm.length).map((place) => items[place] ?? 0);
  fewestModels.set(model.degree, sample);
  return sample;
}
