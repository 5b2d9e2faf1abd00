import { GrowingArray } from '../../matrix/growingArray.ts';
import { sharedDoubles, sharedIntegers } from '../../matrix/sharedArrays.ts';
import { liftWeight } from './embedItems.ts';
import type { SparseRows, WeightedRows } from '../../data/trainedModel.ts';

/** Attributes of an item that count, those with the largest weights: a long text has hundreds of words, and each is multiplied for each pair of items. */
const mostAttributes = 32;

/** Attributes of the items as vectors of length 1, so that a product is the cosine of two items. Threads share the arrays. */
export interface ContentVectors extends WeightedRows {
  /** Number of attributes. */
  columns: number;
}

/**
 * Weighs each attribute by `sqrt(lift + 0.05)`, keeps the 32 largest weights of each item, and divides by the length.
 * @param rows attributes of each item
 * @param lift lift of each attribute, see `attributeLift`
 * @returns null without attributes
 */
export function contentVectors(rows: SparseRows, lift: Float64Array): ContentVectors | null {
  if (rows.index.length === 0) return null;
  const weights = Float64Array.from(lift, liftWeight);
  const items = rows.pointer.length - 1;
  const kept = new GrowingArray(sharedIntegers);
  const pointer = sharedDoubles(items + 1);
  for (let item = 0; item < items; item++) {
    const own = strongest(rows.index.subarray(rows.pointer[item], rows.pointer[item + 1]), weights);
    for (const attribute of own) kept.push(attribute);
    pointer[item + 1] = kept.length;
  }
  const index = kept.take();
  const value = new Float32Array(new SharedArrayBuffer(4 * index.length));
  for (let item = 0; item < items; item++) {
    const [start, end] = [pointer[item] as number, pointer[item + 1] as number];
    let squares = 0;
    for (let at = start; at < end; at++) squares += (weights[index[at] as number] as number) ** 2;
    const length = Math.sqrt(squares);
    for (let at = start; at < end; at++) value[at] = (weights[index[at] as number] as number) / length;
  }
  return { pointer, index, value, columns: lift.length };
}

/** The attributes with the largest weights; of equal weights, the first. */
function strongest(own: Int32Array, weights: Float64Array): Int32Array {
  if (own.length <= mostAttributes) return own;
  return own.slice().sort((a, b) => (weights[b] as number) - (weights[a] as number) || a - b).subarray(0, mostAttributes);
}

/** Multiplies a weighted sum of items' vectors, the profile, with the vectors of other items. */
export class ContentProfile {
  private readonly vectors: ContentVectors;
  private readonly profile: Float64Array;

  constructor(vectors: ContentVectors) {
    this.vectors = vectors;
    this.profile = new Float64Array(vectors.columns);
  }

  /** Adds an item's vector to the profile, multiplied by a weight. */
  add(item: number, weight: number): void {
    const { profile, vectors: { pointer, index, value } } = this;
    for (let at = pointer[item] as number; at < (pointer[item + 1] as number); at++) {
      const column = index[at] as number;
      profile[column] = (profile[column] as number) + weight * (value[at] as number);
    }
  }

  /** Removes an added item from the profile, exactly: its attributes become 0. The profile must contain no other item. */
  remove(item: number): void {
    const { profile, vectors: { pointer, index } } = this;
    for (let at = pointer[item] as number; at < (pointer[item + 1] as number); at++) profile[index[at] as number] = 0;
  }

  clear(): void {
    this.profile.fill(0);
  }

  /** Product of the profile with an item's vector. */
  product(item: number): number {
    const { profile, vectors: { pointer, index, value } } = this;
    let sum = 0;
    for (let at = pointer[item] as number; at < (pointer[item + 1] as number); at++) sum += (profile[index[at] as number] as number) * (value[at] as number);
    return sum;
  }
}
