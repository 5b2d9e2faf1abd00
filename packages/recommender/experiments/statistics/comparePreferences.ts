import type { Comparison } from './compareRates.ts';
import { boundErrors, mixtureWeight } from './sequentialBound.ts';

/** Users of an interleaved experiment. `a` and `b` are the users whose first outcome came from an item of this arm. */
export interface Preferences {
  users: number;
  a: number;
  b: number;
}

/**
 * Compares two arms that share each list. Without a difference, the first outcome of each user belongs to either arm with equal probability, so the difference
 * b − a is a walk of fair steps, and the interval holds at all times for any number of users, without an approximation (a step of ±1 is sub-Gaussian with
 * variance 1; Howard et al. 2021).
 * @returns null before the first outcome
 */
export function comparePreferences({ users, a, b }: Preferences, minimumEffect: number): Comparison | null {
  const decided = a + b;
  if (decided === 0 || users < decided) return null;
  const information = decided / 4;
  const margin = boundErrors(information, mixtureWeight(minimumEffect)) * Math.sqrt(decided);
  const low = Math.max(-decided, b - a - margin);
  const high = Math.min(decided, b - a + margin);
  return {
    difference: { value: (b - a) / users, low: low / users, high: high / users },
    ratio: { value: a === 0 ? null : b / a, low: (decided + low) / (decided - low), high: (decided + high) / (decided - high) },
    information,
  };
}
