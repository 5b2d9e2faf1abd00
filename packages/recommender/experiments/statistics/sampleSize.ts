import { boundErrors, mixtureWeight, powerQuantile } from './sequentialBound.ts';

/** Maximum relative error of the search for the information. */
const precision = 1e-6;

/**
 * Information about the logarithm of the ratio with which an experiment finds the minimum detectable effect in 80 % of the cases, at the latest. About 1.9
 * times the information that a test of fixed size needs: the price of reading the result at any time. Most experiments with an effect end earlier.
 */
function neededInformation(minimumEffect: number): number {
  const weight = mixtureWeight(minimumEffect);
  const effect = Math.log1p(minimumEffect);
  let low = 0;
  let high = 1e3 / effect ** 2;
  while (high - low > high * precision) {
    const middle = (low + high) / 2;
    if (effect * Math.sqrt(middle) < boundErrors(middle, weight) + powerQuantile) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * Number of users that a split experiment needs.
 * @param baseRate conversion rate of arm a, above 0
 * @param share share of the users in arm b, between 0 and 1, both excluded
 * @param minimumEffect relative, for example 0.1 for a ratio of 1.1
 */
export function neededUsers({ baseRate, share, minimumEffect }: { baseRate: number; share: number; minimumEffect: number }): number {
  const changed = Math.min(baseRate * (1 + minimumEffect), 1 - (1 - baseRate) / 2);
  const variance = (1 - baseRate) / (baseRate * (1 - share)) + (1 - changed) / (changed * share);
  return Math.ceil(neededInformation(minimumEffect) * variance);
}

/**
 * Number of users that an interleaved experiment needs.
 * @param outcomeRate share of the users who have an outcome from an item of either arm, above 0
 */
export function neededPreferences({ outcomeRate, minimumEffect }: { outcomeRate: number; minimumEffect: number }): number {
  return Math.ceil((4 * neededInformation(minimumEffect)) / outcomeRate);
}
