/** A time range, start ≤ time < end, seconds. */
export interface Range {
  start: number;
  end: number;
}

/** Merges ranges that overlap or touch, and removes empty ranges. The result is ascending. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const { start, end } of ranges.filter((range) => range.end > range.start).sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/** The parts of 0 … `duration` (seconds) that are in none of the ranges. `merged` must be the result of `mergeRanges`. */
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

/** Length of the overlap of two ranges, seconds. */
export function overlapOf(a: Range, b: Range): number {
  return Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start));
}

/** Total length of the ranges, seconds; overlaps count twice. */
export function lengthOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Two ranges touch if the gap between them is shorter than this, seconds. */
const touching = 1e-3;

/**
 * Length of the preview in seconds. Consecutive ranges overlap by the crossfade, but by at most half of either range. Ranges
 * that touch are joined without a crossfade. The renderer uses the same layout.
 *
 * @param ranges segments in the order of the preview
 * @param crossfade requested crossfade, seconds
 */
export function previewLength(ranges: readonly Range[], crossfade: number): number {
  return listCrossfades(ranges, crossfade).reduce((length, fade) => length - fade, lengthOf(ranges));
}

/**
 * Lengths of the crossfades of a preview, seconds, in its order.
 * @param ranges segments in the order of the preview
 * @param crossfade requested crossfade, seconds
 */
export function listCrossfades(ranges: readonly Range[], crossfade: number): number[] {
  return ranges.flatMap((range, index) => {
    const before = ranges[index - 1];
    if (before === undefined || Math.abs(before.end - range.start) < touching) return [];
    return [Math.min(crossfade, (before.end - before.start) / 2, (range.end - range.start) / 2)];
  });
}
