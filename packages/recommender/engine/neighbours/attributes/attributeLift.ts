import { transpose } from '../../matrix/transpose.ts';
import type { Attributes } from './readAttributes.ts';
import type { Interactions } from '../../matrix/interactions.ts';

/** The mean of an attribute is mixed with the mean of its field, which has the weight of this many pairs. */
const shrinkagePairs = 20;

/**
 * Measures how much more similar the audiences of items with an attribute are than the audiences of random items: 0 means not
 * more similar, 1 means twice as similar. `x_i` is column i of `D_u^-1/2 R D_i^-1/2`. The coherence of a set of n items is
 * the mean of `x_i . x_j` over its ordered pairs, `(|sum x|^2 - sum |x|^2) / (n (n - 1))`. Items without users are excluded.
 */
export function attributeLift(attributes: Attributes, interactions: Interactions): Float64Array {
  const columns = attributes.field.length;
  const byColumn = transpose(attributes.rows, columns);
  const sums = new Float64Array(interactions.users);
  const all = coherenceOf(Int32Array.from({ length: interactions.items }, (_, item) => item), interactions, sums);
  const coherence = new Float64Array(columns);
  const pairs = new Float64Array(columns);
  const fieldSum = new Map<string, number>();
  const fieldPairs = new Map<string, number>();
  for (let column = 0; column < columns; column++) {
    const members = byColumn.index.subarray(byColumn.pointer[column], byColumn.pointer[column + 1]);
    const found = coherenceOf(members, interactions, sums);
    const field = attributes.field[column] as string;
    coherence[column] = found.mean;
    pairs[column] = found.pairs;
    fieldSum.set(field, (fieldSum.get(field) ?? 0) + found.mean * found.pairs);
    fieldPairs.set(field, (fieldPairs.get(field) ?? 0) + found.pairs);
  }
  return coherence.map((mean, column) => {
    const field = attributes.field[column] as string;
    const p = pairs[column] as number;
    const ofField = fieldPairs.get(field) === 0 ? 0 : (fieldSum.get(field) ?? 0) / (fieldPairs.get(field) ?? 1);
    const shrunk = (mean * p + shrinkagePairs * ofField) / (p + shrinkagePairs);
    return all.mean > 0 ? Math.max(0, shrunk / all.mean - 1) : 0;
  });
}

/**
 * Coherence of a set of items.
 * @param sums scratch memory with one zero per user; zeros again after the call
 */
function coherenceOf(
  members: Int32Array,
  interactions: Interactions,
  sums: Float64Array,
): { mean: number; pairs: number } {
  const { audience, userDegree, itemDegree } = interactions;
  let own = 0;
  let warm = 0;
  for (const item of members) {
    const degree = itemDegree[item] as number;
    if (degree === 0) continue;
    warm++;
    const weight = 1 / Math.sqrt(degree);
    const end = audience.pointer[item + 1] as number;
    for (let place = audience.pointer[item] as number; place < end; place++) {
      const user = audience.index[place] as number;
      const x = weight / Math.sqrt(userDegree[user] as number);
      own += x * x;
      sums[user] = (sums[user] as number) + x;
    }
  }
  let squares = 0;
  for (const item of members) {
    const end = audience.pointer[item + 1] as number;
    for (let place = audience.pointer[item] as number; place < end; place++) {
      const user = audience.index[place] as number;
      squares += (sums[user] as number) ** 2;
      sums[user] = 0;
    }
  }
  const pairs = warm * (warm - 1);
  return { mean: pairs === 0 ? 0 : Math.max(0, squares - own) / pairs, pairs };
}
