import { ContentProfile, type ContentVectors } from './attributes/contentVectors.ts';

/** Adds the similarity of metadata to the rows of the operator. */
export class ContentEntries {
  private readonly weight: number;
  private readonly profile: ContentProfile;

  /** @param weight weight of a cosine of 1 */
  constructor(vectors: ContentVectors, weight: number) {
    this.weight = weight;
    this.profile = new ContentProfile(vectors);
  }

  /** Adds the weighted cosines of an item with the first `count` items of `index` to their keys. */
  add(item: number, key: Float32Array, index: Int32Array, count: number): void {
    const { profile } = this;
    profile.add(item, this.weight);
    for (let at = 0; at < count; at++) key[at] = (key[at] as number) + profile.product(index[at] as number);
    profile.remove(item);
  }
}
