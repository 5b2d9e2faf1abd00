/** A run of time, start ≤ time < end, seconds. */
export interface Range {
  start: number;
  end: number;
}

/** Joins ranges that overlap or touch; ascending. Empty ranges vanish. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const { start, end } of ranges.filter((range) => range.end > range.start).sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/** What of 0 … duration lies in none of the merged ranges. */
export function invertRanges(merged: readonly Range[], duration: number): Range[] {
  const free: Range[] = [];
  let from = 0;
  for (const { start, end } of merged) {
    if (start > from) free.push({ start: from, end: Math.min(start, duration) });
    from = Math.max(from, end);
  }
  if (from < duration) free.push({ start: from, end: duration });
  return free.filter((range) => range.end > range.start);
}

/** Seconds that two ranges share. */
export function overlapOf(a: Range, b: Range): number {
  return Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start));
}

/** Sum of the lengths. */
export function lengthOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Ranges whose ends lie closer than this touch, seconds. */
const touching = 1e-3;

/**
 * Length of a preview of ranges in its order, seconds: neighbours share the crossfade, at most half of either; where one runs on
 * into the next nothing is faded. The renderer lays them out in the same way.
 */
export function previewLength(ranges: readonly Range[], crossfade: number): number {
  let length = lengthOf(ranges);
  for (const [index, range] of ranges.entries()) {
    const before = ranges[index - 1];
    if (before === undefined || Math.abs(before.end - range.start) < touching) continue;
    length -= Math.min(crossfade, (before.end - before.start) / 2, (range.end - range.start) / 2);
  }
  return length;
}
