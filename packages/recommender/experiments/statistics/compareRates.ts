import { boundErrors, mixtureWeight } from './sequentialBound.ts';

/** Users of one arm, and how many of them had the outcome. Each user counts once, because users are what an experiment splits. */
export interface ArmCount {
  users: number;
  conversions: number;
}

export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/** How arm b compares with arm a. All intervals hold at all times at once. */
export interface Comparison {
  /** Rate of b minus rate of a. */
  difference: Estimate;
  /** Rate of b divided by rate of a; null if arm a has no conversion. */
  ratio: { value: number | null; low: number; high: number };
  /** Information about the logarithm of the ratio, for the progress of the experiment. */
  information: number;
}

/**
 * Compares the conversion rates of two groups of users. The result may be read after every user, and an experiment may stop when it is decided: the error of
 * all readings together stays within 5 %. Small counts widen the intervals: variances have one conversion and one other user added per arm (Agresti
 * and Caffo 2000).
 * @returns null while an arm has no user
 */
export function compareRates(a: ArmCount, b: ArmCount, minimumEffect: number): Comparison | null {
  if (a.users === 0 || b.users === 0) return null;
  const pooled = (a.conversions + b.conversions + 1) / (a.users + b.users + 2);
  const information = pooled / ((1 - pooled) * (1 / a.users + 1 / b.users));
  const errors = boundErrors(information, mixtureWeight(minimumEffect));
  const difference = b.conversions / b.users - a.conversions / a.users;
  const margin = errors * Math.sqrt(rateVariance(a) + rateVariance(b));
  const center = Math.log(smoothedRate(b) / smoothedRate(a));
  const logMargin = errors * Math.sqrt(logVariance(a) + logVariance(b));
  return {
    difference: { value: difference, low: Math.max(-1, difference - margin), high: Math.min(1, difference + margin) },
    ratio: { value: a.conversions === 0 ? null : b.conversions / b.users / (a.conversions / a.users), low: Math.exp(center - logMargin), high: Math.exp(center + logMargin) },
    information,
  };
}

/** Conversion rate of one arm with a Wilson interval that holds at all times; null without users. */
export function estimateRate({ users, conversions }: ArmCount, minimumEffect: number): Estimate | null {
  if (users === 0) return null;
  const smoothed = (conversions + 1) / (users + 2);
  const squared = boundErrors((users * smoothed) / (1 - smoothed), mixtureWeight(minimumEffect)) ** 2;
  const value = conversions / users;
  const center = (value + squared / (2 * users)) / (1 + squared / users);
  const margin = Math.sqrt(squared * ((value * (1 - value)) / users + squared / (4 * users ** 2))) / (1 + squared / users);
  return { value, low: Math.max(0, Math.min(value, center - margin)), high: Math.min(1, Math.max(value, center + margin)) };
}

function rateVariance({ users, conversions }: ArmCount): number {
  const rate = (conversions + 1) / (users + 2);
  return (rate * (1 - rate)) / (users + 2);
}

function smoothedRate({ users, conversions }: ArmCount): number {
  return (conversions + 0.5) / (users + 1);
}

function logVariance({ users, conversions }: ArmCount): number {
  return 1 / (conversions + 0.5) - 1 / (users + 1);
}
