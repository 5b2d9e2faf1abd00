import type { History } from '../matrix/buildHistory.ts';

const day = 86_400_000;
const shortHalfLife = 14 * day;
const longHalfLife = 365 * day;
const sparseHalfLife = 30 * day;
/** Minimum ratio of the long to the short half-life, if the short one is not the default. */
const leastRatio = 4;
/**
 * Items are short-lived if half of their interactions come within a shorter time of the first than this share of the whole period. Of
 * items with constant demand that arrive evenly, half of the interactions come within 0.29 of the period.
 */
const shortLivedShare = 0.15;
/** A shorter half-life would rank by the time of day. */
const leastHalfLife = day;
/** Number of items with a second interaction from which the lifetime of items can be told, and of interactions that are looked at. */
const fewestRepeated = 20;
const sampledEntries = 100_000;
/**
 * Decayed count above which an item is in demand at all: one interaction four half-lives ago. In an archive of a year, items of the last days are a
 * few of all, and interactions per item of the archive say nothing about them.
 */
const leastInDemand = 2 ** -4;
/** Decayed count from which an item is in demand now: one interaction a half-life ago. */
const leastCurrent = 0.5;
/** Weight of the interactions expected from the item's long history: 1, or 10 if the last weeks have little data. */
const expectationWeight = 1;
const sparseExpectationWeight = 10;
/** Added to both sides of the ratio of seen to expected interactions, so that a few interactions do not make a trend. */
const ratioPrior = 5;
/** An item counts as rising from this many standard deviations above the expected number. */
const risingDeviations = 2;

interface Trend {
  /**
   * Trend of each item; a larger value means more current demand, 0 means none. Values are comparable within one model only.
   */
  trend: Float32Array;
  rising: Uint8Array;
  /** 1 for each item with recent interactions: together they weigh at least as much as one that is a half-life old. */
  current: Uint8Array;
  /** Newest timestamp in ms, NaN if no timestamp is known. */
  newest: number;
}

/**
 * Measures current demand: recent interactions (short half-life) relative to the number expected from a long half-life. The
 * current time is the newest timestamp of the data. Without timestamps, the trend is the popularity and no item is rising.
 * @param items number of items
 * @param halfLifeDays short half-life; if omitted, 14 days, or 30 days if the last weeks have under one interaction per item; for short-lived
 * items, such as news, the time in which they get half of their interactions, at least a day
 */
export function computeTrend(history: History, items: number, halfLifeDays?: number): Trend {
  let newest = Number.NaN;
  for (const time of history.time) if (!(time <= newest) && !Number.isNaN(time)) newest = time;
  const trend = new Float32Array(items);
  const rising = new Uint8Array(items);
  const current = new Uint8Array(items);
  if (Number.isNaN(newest)) {
    for (const item of history.index) trend[item] = (trend[item] as number) + 1;
    return { trend, rising, current, newest };
  }
  const lifetime = halfLifeDays === undefined ? shortLifetime(history, items, newest) : null;
  const chosen = lifetime ?? (halfLifeDays === undefined ? null : halfLifeDays * day);
  const long = decayedCounts(history, items, newest, lifetime === null ? Math.max(longHalfLife, leastRatio * (chosen ?? 0)) : leastRatio * lifetime);
  let recent = decayedCounts(history, items, newest, chosen ?? shortHalfLife);
  const sparse = lifetime === null && total(recent) < (chosen === null ? countAbove(long, 0) : countAbove(recent, leastInDemand));
  if (sparse && chosen === null) recent = decayedCounts(history, items, newest, sparseHalfLife);
  const scale = total(recent) / total(long);
  for (let item = 0; item < items; item++) {
    const seen = recent[item] as number;
    const expected = (long[item] as number) * scale;
    trend[item] = sparse
      ? seen + sparseExpectationWeight * expected
      : ((seen + expectationWeight * expected) * (seen + ratioPrior)) / (expected + ratioPrior);
    current[item] = seen >= leastCurrent ? 1 : 0;
    rising[item] = (seen - expected) / Math.sqrt(expected + 1) > risingDeviations ? 1 : 0;
  }
  return { trend, rising, current, newest };
}

function decayedCounts(history: History, items: number, newest: number, halfLife: number): Float64Array {
  const counts = new Float64Array(items);
  for (let entry = 0; entry < history.index.length; entry++) {
    const age = newest - (history.time[entry] as number);
    if (Number.isNaN(age)) continue;
    const item = history.index[entry] as number;
    counts[item] = (counts[item] as number) + 2 ** (-age / halfLife);
  }
  return counts;
}

/**
 * The time in which short-lived items get half of their interactions after the first; null if that is not less than the default half-life, or if
 * fewer than twenty items have a second interaction.
 */
function shortLifetime({ index, time }: History, items: number, newest: number): number | null {
  const first = new Float64Array(items).fill(Number.POSITIVE_INFINITY);
  const known = new Int32Array(items);
  for (const [entry, item] of index.entries()) {
    const at = time[entry] as number;
    if (Number.isNaN(at)) continue;
    known[item] = (known[item] as number) + 1;
    if (at < (first[item] as number)) first[item] = at;
  }
  if (known.reduce((count, times) => count + (times > 1 ? 1 : 0), 0) < fewestRepeated) return null;
  const step = Math.ceil(index.length / sampledEntries);
  const sampled = Array.from({ length: Math.floor(index.length / step) }, (_, at) => at * step).filter((entry) => (known[index[entry] as number] as number) > 1 && !Number.isNaN(time[entry]));
  const later = sampled.filter((entry) => (time[entry] as number) > (first[index[entry] as number] as number));
  const half = quantile(later.map((entry) => (time[entry] as number) - (first[index[entry] as number] as number)), 0.5);
  const period = newest - quantile(sampled.map((entry) => time[entry] as number), 0.01);
  return half < shortLivedShare * period && half < shortHalfLife ? Math.max(half, leastHalfLife) : null;
}

/** @returns NaN without values */
function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

function countAbove(values: Float64Array, least: number): number {
  return values.reduce((count, value) => count + (value > least ? 1 : 0), 0);
}

function total(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
