import { boundaryCost, freeUntil, mayCut, type Field, type Span } from './field.ts';

/** Maximum number of start times. If the video has more, each run of neighbouring start times keeps only the cheapest one. */
const maxStarts = 12_000;
/** Candidates with the same start time differ in length by at least this factor; within one step, the cheapest end is kept. */
const growth = 1.07;

/**
 * Lists candidate segments: for each allowed start time, the cheapest end time per length step. The number of candidates is
 * bounded because a video of 8 hours has 60,000 boundaries, and a segment of one hour could end at 7,000 of them.
 */
export function listCandidates(field: Field): Span[] {
  const { boundaries } = field.timeline;
  const { minSegmentSeconds, maxSegmentSeconds, keepSpeech } = field.settled;
  const { times } = boundaries;
  const costs = Float64Array.from(times, (_, index) => boundaryCost(boundaries, index, keepSpeech));
  const spans: Span[] = [];
  for (const first of thinStarts([...times.keys()].filter((index) => mayCut(field, boundaries.starts[index])), costs)) {
    const start = times[first]!;
    const limit = Math.min(start + maxSegmentSeconds, freeUntil(field.forbidden, start)) + 1e-9;
    let longest = minSegmentSeconds;
    let best = -1;
    for (let last = first + 1; last < times.length && times[last]! <= limit; last++) {
      const length = times[last]! - start;
      if (!mayCut(field, boundaries.ends[last]) || length < minSegmentSeconds - 1e-9) continue;
      if (length > longest && best >= 0) {
        spans.push({ start, end: times[best]!, cost: costs[first]! + costs[best]! });
        best = -1;
      }
      if (best < 0) longest = Math.max(length + 0.25, length * growth);
      if (best < 0 || costs[last]! <= costs[best]!) best = last;
    }
    if (best >= 0) spans.push({ start, end: times[best]!, cost: costs[first]! + costs[best]! });
  }
  return spans;
}

function thinStarts(starts: readonly number[], costs: Float64Array): readonly number[] {
  const run = Math.ceil(starts.length / maxStarts);
  if (run <= 1) return starts;
  const kept: number[] = [];
  for (let from = 0; from < starts.length; from += run) {
    kept.push(starts.slice(from, from + run).reduce((best, index) => (costs[index]! < costs[best]! ? index : best)));
  }
  return kept;
}
