/** A reproducible random generator: the same seed gives the same numbers on every machine. */
export interface SeededRandom {
  /** Uniform in [0, 1), with 32 random bits. */
  fraction(): number;
  /** Uniform integer in [0, bound). */
  below(bound: number): number;
  /** One element of a non-empty list. */
  pick<Element>(list: readonly Element[]): Element;
  /** Normal with mean 0 and variance 1 (Box-Muller). */
  normal(): number;
}

/**
 * Creates a reproducible generator (mulberry32 by Tommy Ettinger; period 2^32, sufficient for test data only).
 * @param seed any integer; only its lower 32 bits count
 */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(fraction() * bound);
  return {
    fraction,
    below,
    pick(list) {
      if (list.length === 0) throw new Error('cannot pick from an empty list');
      return list[below(list.length)] as (typeof list)[number];
    },
    // 1 - fraction is never 0, so the logarithm is finite.
    normal: () => Math.sqrt(-2 * Math.log(1 - fraction())) * Math.cos(2 * Math.PI * fraction()),
  };
}

/** Returns a function that draws positions in proportion to weights, by binary search in the running sum. */
export function weightedPicker(weights: readonly number[]): (random: SeededRandom) => number {
  let total = 0;
  const sums = weights.map((weight) => (total += weight));
  if (!(total > 0)) throw new Error('weights must add up to more than 0');
  return (random) => {
    const wanted = random.fraction() * total;
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
