import { extentOf, type Axis, type FaceSample } from '../../faces/facesShown.ts';

/** Starts of a crop, as shares of the picture, that show faces as a whole, or the middle of a face that is wider than the crop. */
export interface Starts {
  from: number;
  to: number;
}

interface Extent {
  from: number;
  to: number;
  weight: number;
}

/**
 * Starts of the crop that suit the faces of each sample; null for a sample without faces. Of faces that do not fit into the crop together, those remain that
 * are larger and seen in more samples of the shot.
 * @param share share of the picture's width (or height) that the crop shows
 */
export function startsForFaces(samples: readonly FaceSample[], axis: Axis, share: number): (Starts | null)[] {
  const extents = samples.map(({ faces }) => faces.map((face) => extentOf(face, axis)).filter(({ from, to, weight }) => to > from && weight > 0));
  const seen = (face: Extent): number => extents.reduce((sum, others) => sum + others.reduce((most, other) => Math.max(most, isSame(face, other) ? areaOf(other) : 0), 0), 0);
  return extents.map((faces) => {
    const [first, ...others] = faces.map((face) => ({ ...face, seen: seen(face) })).sort((one, other) => other.seen - one.seen);
    if (first === undefined) return null;
    let { from, to } = first;
    for (const other of others) if (Math.max(to, other.to) - Math.min(from, other.from) <= share) [from, to] = [Math.min(from, other.from), Math.max(to, other.to)];
    const middle = (from + to - share) / 2;
    const last = 1 - share;
    const within = (start: number): number => Math.max(0, Math.min(last, start));
    return to - from > share ? { from: within(middle), to: within(middle) } : { from: within(to - share), to: within(from) };
  });
}

function areaOf({ from, to, weight }: Extent): number {
  return (to - from) * weight;
}

/** Whether the middle of each extent is inside the other: one face in two pictures. */
function isSame(one: Extent, other: Extent): boolean {
  const holds = (outer: Extent, inner: Extent): boolean => outer.from <= (inner.from + inner.to) / 2 && (inner.from + inner.to) / 2 <= outer.to;
  return holds(one, other) && holds(other, one);
}
