import type { Interactions } from '../matrix/interactions.ts';
import type { ProgressMeter } from '../progress/progressMeter.ts';

/**
 * Computes `out = X^T (X v)` for `X = D_u^(pu/2) R D_i^-1/2`, user by user, so that only one row of `X v` is in memory at a
 * time.
 * @param v items × columns, row-major
 * @param userWeight `d_u^pu`
 * @param itemWeight `d_i^-1/2`
 */
export function multiplyNormalised(
  interactions: Interactions,
  userWeight: Float64Array,
  itemWeight: Float64Array,
  v: Float32Array,
  columns: number,
  out: Float32Array,
  meter?: ProgressMeter,
): void {
  const { pointer, index } = interactions.rows;
  const profile = new Float64Array(columns);
  out.fill(0);
  for (let user = 0; user < interactions.users; user++) {
    const start = pointer[user] as number;
    const end = pointer[user + 1] as number;
    profile.fill(0);
    for (let entry = start; entry < end; entry += 2) {
      const item = index[entry] as number;
      // Items are added in pairs; the last item of an odd count is paired with itself at weight 0.
      const other = entry + 1 < end ? (index[entry + 1] as number) : item;
      addRows(profile, v, item * columns, itemWeight[item] as number, other * columns,
        entry + 1 < end ? (itemWeight[other] as number) : 0);
    }
    const weight = userWeight[user] as number;
    for (let entry = start; entry < end; entry++) {
      const item = index[entry] as number;
      scatterRow(out, item * columns, profile, weight * (itemWeight[item] as number));
    }
    meter?.advance(end - start);
  }
}

function addRows(
  sum: Float64Array,
  v: Float32Array,
  a: number,
  weightA: number,
  b: number,
  weightB: number,
): void {
  for (let k = 0; k < sum.length; k++) {
    sum[k] = (sum[k] as number) + (weightA * (v[a + k] as number) + weightB * (v[b + k] as number));
  }
}

function scatterRow(out: Float32Array, base: number, row: Float64Array, weight: number): void {
  for (let k = 0; k < row.length; k++) out[base + k] = (out[base + k] as number) + weight * (row[k] as number);
}
