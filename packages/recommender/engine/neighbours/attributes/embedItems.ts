import { rowNorms } from '../../linear/rowNorms.ts';
import { sharedFloats } from '../../matrix/sharedArrays.ts';
import { predictHeldOut, type HeldOutContent } from './heldOutContent.ts';
import { predict, ridgeMap } from './ridgeMap.ts';
import type { Attributes } from './readAttributes.ts';
import type { Factors } from '../../factors/factorise.ts';
import type { Workspace } from '../../kernels/workspace.ts';
import type { Interactions } from '../../matrix/interactions.ts';
import type { WeightedRows } from '../../data/trainedModel.ts';

/** Added to each lift, so that attributes whose items have different audiences still have a small weight. */
const liftFloor = 0.05;
/** Number of directions that the ridge regression predicts. */
const contentColumns = 128;
/** Number of interactions at which an item's own embedding and its content have equal weight. */
const contentInteractions = 6;

interface Embeddings {
  /** Items × rank; null if no content is blended in, so that the embedding equals `collaborativeEmbedding`. */
  embedding: Float32Array | null;
  /** Weight of the content in each item's embedding. */
  contentWeight: Float32Array;
  /** Attributes × rank; columns after the first 128 are zero. */
  ridge: Float32Array;
  /** The attribute matrix with weights `sqrt(lift + 0.05)`. */
  weighted: WeightedRows;
  /** Items whose content embedding was predicted without their interactions; null if there are none. */
  heldOut: HeldOutContent | null;
}

/** Weight of an attribute in the rows of items. */
export function liftWeight(lift: number): number {
  return Math.sqrt(lift + liftFloor);
}

/**
 * Computes embeddings of all items, with or without interactions: `E_i = V_i sqrt(s)` blended with a prediction of E from the
 * attributes by ridge regression, `e = (n E_i |content|/|E_i| + 6 content) / (n + 6)` for n interactions.
 */
export function embedItems(
  attributes: Attributes,
  lift: Float64Array,
  factors: Factors,
  interactions: Interactions,
  report: (fraction: number) => void,
): Embeddings {
  const { rank } = factors;
  const { items } = interactions;
  const columns = attributes.field.length;
  const weights = Float32Array.from(lift, liftWeight);
  const weighted = { ...attributes.rows, value: sharedFloats(attributes.rows.index, (column) => weights[column] as number) };
  const contentWeight = new Float32Array(items);
  if (columns === 0 || rank === 0) return { embedding: null, contentWeight, ridge: new Float32Array(columns * rank), weighted, heldOut: null };
  // Allocated in the workspace, where the related rows read the embedding without a copy.
  const embedding = collaborativeEmbedding(factors, items, interactions.workspace);

  const width = Math.min(rank, contentColumns);
  const shape = { columns, width, rank };
  const heldOut = predictHeldOut(weighted, embedding, interactions, shape, (fraction) => report(fraction / 2));
  const map = ridgeMap(weighted, embedding, shape, (item) => (interactions.itemDegree[item] as number) > 0, (fraction) => report((1 + fraction) / 2));
  const norms = rowNorms(embedding, items, rank);
  const content = new Float64Array(width);
  for (let item = 0; item < items; item++) {
    const length = predict(weighted, item, map, width, content);
    if (length === 0) continue;
    const degree = interactions.itemDegree[item] as number;
    const norm = norms[item] as number;
    const own = norm === 0 ? 0 : (degree * length) / norm / (degree + contentInteractions);
    const share = norm === 0 ? 1 : contentInteractions / (degree + contentInteractions);
    contentWeight[item] = share;
    const base = item * rank;
    for (let k = 0; k < rank; k++) embedding[base + k] = own * (embedding[base + k] as number);
    for (let k = 0; k < width; k++) {
      embedding[base + k] = (embedding[base + k] as number) + share * (content[k] as number);
    }
  }
  const padded = new Float32Array(columns * rank);
  for (let column = 0; column < columns; column++) {
    padded.set(map.subarray(column * width, (column + 1) * width), column * rank);
  }
  return { embedding, contentWeight, ridge: padded, weighted, heldOut };
}

/**
 * Computes `E = V sqrt(s)`, items × rank.
 * @param workspace memory for the result; null allocates an ordinary array
 */
export function collaborativeEmbedding(factors: Factors, items: number, workspace: Workspace | null = null): Float32Array {
  const embedding = workspace?.floats(items * factors.rank) ?? new Float32Array(items * factors.rank);
  const roots = factors.eigenvalues.map(Math.sqrt);
  for (let item = 0; item < items; item++) {
    for (let k = 0; k < factors.rank; k++) {
      const place = item * factors.rank + k;
      embedding[place] = (factors.vectors[place] as number) * (roots[k] as number);
    }
  }
  return embedding;
}
