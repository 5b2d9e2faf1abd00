import type { History } from '../matrix/buildHistory.ts';

const day = 86_400_000;
const shortHalfLife = 14 * day;
const longHalfLife = 365 * day;
const sparseHalfLife = 30 * day;
/** Minimum ratio of the long to the short half-life, if the short one is given. */
const leastRatio = 4;
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
  /** Newest timestamp in ms, NaN if no timestamp is known. */
  newest: number;
}

/**
 * Measures current demand: recent interactions (short half-life) relative to the number expected from a long half-life. The
 * current time is the newest timestamp of the data. Without timestamps, the trend is the popularity and no item is rising.
 * @param items number of items
 * @param halfLifeDays short half-life; if omitted, 14 days, or 30 days if the last weeks have under one interaction per item
 */
export function computeTrend(history: History, items: number, halfLifeDays?: number): Trend {
  let newest = Number.NaN;
  for (const time of history.time) if (!(time <= newest) && !Number.isNaN(time)) newest = time;
  const trend = new Float32Array(items);
  const rising = new Uint8Array(items);
  if (Number.isNaN(newest)) {
    for (const item of history.index) trend[item] = (trend[item] as number) + 1;
    return { trend, rising, newest };
  }
  const given = halfLifeDays === undefined ? null : halfLifeDays * day;
  const long = decayedCounts(history, items, newest, Math.max(longHalfLife, leastRatio * (given ?? 0)));
  let recent = decayedCounts(history, items, newest, given ?? shortHalfLife);
  const sparse = total(recent) < long.reduce((count, value) => count + (value > 0 ? 1 : 0), 0);
  if (sparse && given === null) recent = decayedCounts(history, items, newest, sparseHalfLife);
  const scale = total(recent) / total(long);
  for (let item = 0; item < items; item++) {
    const seen = recent[item] as number;
    const expected = (long[item] as number) * scale;
    trend[item] = sparse
      ? seen + sparseExpectationWeight * expected
      : ((seen + expectationWeight * expected) * (seen + ratioPrior)) / (expected + ratioPrior);
    rising[item] = (seen - expected) / Math.sqrt(expected + 1) > risingDeviations ? 1 : 0;
  }
  return { trend, rising, newest };
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

function total(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
