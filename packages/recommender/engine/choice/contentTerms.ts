import { ContentProfile, type ContentVectors } from '../neighbours/attributes/contentVectors.ts';
import { vectorWork } from './work.ts';

/** The similarity of candidates to a history by their metadata, as the operator's rows add it up. */
export class ContentTerms {
  private readonly vectors: ContentVectors;
  private readonly profile: ContentProfile;
  private items: Int32Array = new Int32Array(0);
  private weights: Float64Array = new Float64Array(0);

  constructor(vectors: ContentVectors) {
    this.vectors = vectors;
    this.profile = new ContentProfile(vectors);
  }

  /** Sets the history and the weight of each item. */
  begin(items: Int32Array, weights: Float64Array): void {
    this.items = items;
    this.weights = weights;
  }

  /**
   * Writes the sums of cosines of the first `count` candidates to `out`.
   * @returns the work
   */
  read(candidates: Int32Array, count: number, out: Float32Array): number {
    const { profile, items, weights, vectors: { pointer } } = this;
    profile.clear();
    for (let at = 0; at < items.length; at++) profile.add(items[at] as number, weights[at] as number);
    let products = 0;
    for (let place = 0; place < count; place++) {
      const item = candidates[place] as number;
      out[place] = profile.product(item);
      products += (pointer[item + 1] as number) - (pointer[item] as number);
    }
    return vectorWork(products);
  }
}
