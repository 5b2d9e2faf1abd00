import type { SeededRandom } from '@vouch/platform/process/seededRandom';

/** Returns a function that draws positions in proportion to weights, by binary search in the running sum. */
export function weightedPicker(weights: readonly number[]): (random: SeededRandom) => number {
  let total = 0;
  const sums = weights.map((weight) => (total += weight));
  if (!(total > 0)) throw new Error('weights must add up to more than 0');
  return (random) => {
    const wanted = random.uniform() * total;
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sums[middle] as number) > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
