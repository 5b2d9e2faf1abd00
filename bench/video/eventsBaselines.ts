import { seededRandom } from '../../packages/recommender/sample/seededRandom.ts';
import type { Selection } from '../../packages/video/engine/selection/selection.ts';

interface Range {
  start: number;
  end: number;
}

/** Segments of this length are what a preview without any knowledge is made of, seconds. */
const piece = 3;

/** Evenly spread segments. */
export function uniformSummary(seconds: number, duration: number): Range[] {
  const count = Math.round(duration / piece);
  return Array.from({ length: count }, (_, index) => {
    const start = ((index + 0.5) * seconds) / count - piece / 2;
    return { start, end: start + piece };
  });
}

/** Segments at random places that do not overlap. */
export function randomSummary(seconds: number, duration: number, seed: number): Range[] {
  const random = seededRandom(seed);
  const count = Math.round(duration / piece);
  // Uniform over all placements: order statistics of the free time, with the segments pushed in between.
  const free = Array.from({ length: count }, () => random.fraction() * (seconds - count * piece)).sort((a, b) => a - b);
  return free.map((place, index) => ({ start: place + index * piece, end: place + (index + 1) * piece }));
}

/** Losing idea: the seconds of the highest motion and sound, wherever they lie. */
export function highestSummary({ curve }: Selection, duration: number): Range[] {
  const cells = Array.from(curve.importance.keys()).sort((a, b) => curve.importance[b]! - curve.importance[a]! || a - b);
  return cells.slice(0, Math.round(duration / curve.step)).sort((a, b) => a - b)
    .map((cell) => ({ start: cell * curve.step, end: (cell + 1) * curve.step }));
}
