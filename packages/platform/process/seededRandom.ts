/** A reproducible random generator: the same seed gives the same numbers on every machine. */
export interface SeededRandom {
  /** Uniform in [0, 1), with 32 random bits. */
  uniform(): number;
  /** Uniform integer in [0, bound). */
  below(bound: number): number;
  /** One element of a non-empty list. */
  pick<Element>(list: readonly Element[]): Element;
  /** Normal with mean 0 and variance 1 (Box-Muller). */
  normal(): number;
}

/**
 * Creates a reproducible generator (mulberry32 by Tommy Ettinger; 32 bits of state, so for simulations and test data only, never for
 * secrets).
 * @param seed any integer; only its lower 32 bits count
 */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(uniform() * bound);
  return {
    uniform,
    below,
    pick(list) {
      if (list.length === 0) throw new Error('cannot pick from an empty list');
      return list[below(list.length)] as (typeof list)[number];
    },
    // 1 - uniform is never 0, so the logarithm is finite.
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}
