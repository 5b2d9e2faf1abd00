import { predict, ridgeMap, type MapShape } from './ridgeMap.ts';
import type { Interactions } from '../../matrix/interactions.ts';
import type { WeightedRows } from '../../data/trainedModel.ts';

/** Minimum number of users of a held-out item: with fewer, its scores are low because its pairs are little known. */
const leastUsers = 20;
/** Share of these items that is held out, the number that is held out in large catalogues, and the smallest number that tells anything. */
const heldOutShare = 1 / 8;
const heldOutItems = 400;
const fewestItems = 10;
/** Relative residual of the regression. With 1e-7, the mean scores of the first ten ranks differ by less than .001. */
const tolerance = 1e-3;

/** Items with interactions, and the embedding that each would have without interactions. */
export interface HeldOutContent {
  items: Int32Array;
  /** Embeddings, `items` × rank. */
  vectors: Float32Array;
}

/**
 * Predicts the embeddings of some items from attributes by a ridge regression over the other items. Their lists by these embeddings, beside their
 * interactions, tell how much the similarity of an item without interactions is worth.
 * @param embedding items × rank, from interactions only
 */
export function predictHeldOut(
  weighted: WeightedRows, embedding: Float32Array, { itemDegree }: Interactions, shape: MapShape, report: (fraction: number) => void,
): HeldOutContent | null {
  const known = Int32Array.from(itemDegree.keys()).filter((item) => (itemDegree[item] as number) >= leastUsers);
  const share = Math.min(heldOutShare, heldOutItems / known.length);
  const items = known.filter((item) => isSampled(item, share));
  if (items.length < fewestItems) return null;
  const isHeldOut = new Uint8Array(itemDegree.length);
  for (const item of items) isHeldOut[item] = 1;
  const map = ridgeMap(weighted, embedding, shape, (item) => (itemDegree[item] as number) > 0 && isHeldOut[item] === 0, report, tolerance);
  const vectors = new Float32Array(items.length * shape.rank);
  const content = new Float64Array(shape.width);
  items.forEach((item, at) => {
    predict(weighted, item, map, shape.width, content);
    vectors.set(content, at * shape.rank);
  });
  return { items, vectors };
}

/** Depends on the item only, so that one item more does not replace the sample. */
function isSampled(item: number, share: number): boolean {
  return (Math.imul(item + 1, 0x9e3779b1) >>> 0) < share * 2 ** 32;
}
