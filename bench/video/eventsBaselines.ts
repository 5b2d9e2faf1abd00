import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import type { Selection } from '../../packages/video/engine/selection/selection.ts';

interface Range {
  start: number;
  end: number;
}

/** Segment length of the baseline previews, in seconds. */
const piece = 3;

/** Returns evenly spaced segments. */
export function uniformSummary(seconds: number, duration: number): Range[] {
  const count = Math.round(duration / piece);
  return Array.from({ length: count }, (_, index) => {
    const start = ((index + 0.5) * seconds) / count - piece / 2;
    return { start, end: start + piece };
  });
}

/** Returns non-overlapping segments at random places. */
export function randomSummary(seconds: number, duration: number, seed: number): Range[] {
  const random = seededRandom(seed);
  const count = Math.round(duration / piece);
  // Samples uniformly over all placements: sorts random points of the free time and inserts the segments between them.
  const free = Array.from({ length: count }, () => random.uniform() * (seconds - count * piece)).sort((a, b) => a - b);
  return free.map((place, index) => ({ start: place + index * piece, end: place + (index + 1) * piece }));
}

/** Rejected approach: takes the seconds with the most motion and sound, wherever they are. */
export function highestSummary({ curve }: Selection, duration: number): Range[] {
  const cells = Array.from(curve.importance.keys()).sort((a, b) => curve.importance[b]! - curve.importance[a]! || a - b);
  return cells.slice(0, Math.round(duration / curve.step)).sort((a, b) => a - b)
    .map((cell) => ({ start: cell * curve.step, end: (cell + 1) * curve.step }));
}
