import { boundCandidateLimit, type BoundCandidates } from './boundCandidates.ts';
import type { QuantisedRows } from '../kernels/quantisedRows.ts';
import type { RowTools } from '../kernels/rowTools.ts';

/** Number of interactions at which observed and predicted values have equal weight. */
export const priorInteractions = 6;
/**
 * From this number of interactions on, the prediction would have less than a quarter of the weight and is skipped. With 5
 * ratings per film, ndcg@20 is .44 with the prediction and .25 without; with 10 ratings, .49 and .42.
 */
export const knownInteractions = 20;
/** Candidates that the predictions add to a row and target type. */
const predictedLimit = 150;

/**
 * Predicts the interaction half of `rel` for an item with few users. `P` is close to `E E^T` with `E = V sqrt(s)`, so the
 * expected value of `P[i,j] d_j^0.3` is `e_i . E_j d_j^0.3`. Without the prediction, the list of a cold item would contain
 * unknown items with the same attributes: ndcg@20 on cold MovieLens films is .42 with the prediction, .01 with the cosine
 * alone and .16 with popularity.
 */
export class PredictedTerms {
  /** Weight of the prediction for the current item; 0 if no prediction is needed or possible. */
  weight = 0;
  /** Reciprocal of the largest prediction; scales predictions to at most 1. */
  scale = 0;
  /** Items that `search` found. */
  readonly found: Int32Array;
  private readonly tools: RowTools;
  private readonly popularity: Float32Array;
  private readonly bound: readonly BoundCandidates[];
  private readonly keys: Float32Array[];
  private readonly key: Float32Array;

  /**
   * @param popularity `d_j^0.3` of each item
   * @param bound for each target type, the items whose predictions can be largest
   */
  constructor(tools: RowTools, popularity: Float32Array, bound: readonly BoundCandidates[]) {
    this.tools = tools;
    this.popularity = popularity;
    this.bound = bound;
    this.keys = bound.map(({ items }) => tools.floats(items.length));
    this.found = tools.integers(boundCandidateLimit);
    this.key = tools.floats(boundCandidateLimit);
  }

  /**
   * Computes the predictions for an item.
   * @param query vector of the item; a prediction is the query's product with a row of V, times the popularity of that row's
   * item
   * @param degree number of users of the item
   */
  begin(query: QuantisedRows, item: number, degree: number): void {
    this.weight = 0;
    if (degree >= knownInteractions) return;
    let largest = 0;
    this.bound.forEach(({ items, packed }, group) => {
      const keys = this.keys[group] as Float32Array;
      this.tools.dot(query, packed, 0, items.length, [keys]);
      for (let place = 0; place < items.length; place++) {
        const other = items[place] as number;
        const key = other === item ? 0 : (keys[place] as number) * (this.popularity[other] as number);
        keys[place] = key;
        if (key > largest) largest = key;
      }
    });
    if (largest === 0) return;
    this.scale = 1 / largest;
    this.weight = priorInteractions / (degree + priorInteractions);
  }

  /**
   * Writes the items of a group with the largest predictions to `found`.
   * @returns number of items written
   */
  search(group: number): number {
    const { items } = this.bound[group] as BoundCandidates;
    this.found.set(items);
    this.key.set(this.keys[group] as Float32Array);
    this.tools.selectLargest(this.key, this.found, items.length, predictedLimit);
    return Math.min(items.length, predictedLimit);
  }
}
