/**
 * Rank of each value among all, 0–1, softened: values closer than `bandwidth` count as partly equal, so that noise among
 * equal values (a still picture, digital silence) does not become a rank. It is the mean of the empirical distribution
 * over [value − bandwidth, value + bandwidth]; with all values equal every rank is 0.5.
 */
export function rankValues(values: Float32Array, bandwidth: number): Float32Array {
  const count = values.length;
  const sorted = Float64Array.from(values).sort();
  const sums = new Float64Array(count + 1);
  for (let index = 0; index < count; index++) sums[index + 1] = sums[index]! + sorted[index]!;
  /** Integral of the number of values below, up to `limit`. */
  const integral = (limit: number): number => {
    const below = countBelow(sorted, limit);
    return below * limit - sums[below]!;
  };
  return values.map((value) => (integral(value + bandwidth) - integral(value - bandwidth)) / (2 * bandwidth * count));
}

/** How many of the ascending values are below the limit. */
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
