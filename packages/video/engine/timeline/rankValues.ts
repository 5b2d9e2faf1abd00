/**
 * Rank of each value among all values, 0–1. Values closer than `bandwidth` count as partly equal, so that noise among equal
 * values (a still picture, digital silence) does not produce ranks. The rank is the mean of the empirical distribution
 * function over [value − bandwidth, value + bandwidth]; if all values are equal, every rank is 0.5.
 */
export function rankValues(values: Float32Array, bandwidth: number): Float32Array {
  const count = values.length;
  const sorted = Float64Array.from(values).sort();
  const sums = new Float64Array(count + 1);
  for (let index = 0; index < count; index++) sums[index + 1] = sums[index]! + sorted[index]!;
  /** Integral, from −∞ to `limit`, of the number of values below a threshold. */
  const integral = (limit: number): number => {
    const below = countBelow(sorted, limit);
    return below * limit - sums[below]!;
  };
  return values.map((value) => (integral(value + bandwidth) - integral(value - bandwidth)) / (2 * bandwidth * count));
}

/** Number of values below `limit`; `sorted` must be ascending. */
export function countBelow(sorted: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
