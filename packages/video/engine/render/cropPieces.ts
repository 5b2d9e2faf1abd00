import type { CropPath } from '../media/mediaBackend.ts';
import type { PreviewPlan } from './previewPlan.ts';
import { positionAt, type CropTrack } from './framing/followMotion.ts';
import type { FrameShape } from './framing/frameShape.ts';

/** Largest deviation of the crop from its planned position, pixels. */
const tolerance = 0.25;
/** Maximum number of points of a path. Paths are arguments of a command, which have a maximum length. */
const maxPoints = 500;

/** Adds the positions of the crop to the pieces of a plan. */
export function cropPieces(plan: PreviewPlan, { size, scaled }: FrameShape, track: CropTrack): PreviewPlan {
  const room = Math.max(scaled.width - size.width, scaled.height - size.height);
  const perSecond = plan.rate.numerator / plan.rate.denominator;
  const pathOf = (from: number, frames: number): CropPath =>
    // Frame n shows the last picture at or before from + (n + ½) / rate.
    simplify(Array.from({ length: frames }, (_, n) => room * positionAt(track, from + (n + 0.5) / perSecond)));
  return {
    ...plan,
    pieces: plan.pieces.map((piece) => ({
      ...piece, crop: pathOf(piece.from, piece.frames),
      ...(piece.into === undefined ? {} : { into: { ...piece.into, crop: pathOf(piece.into.from, piece.frames) } }),
    })),
  };
}

/** Omits the points that lie on the line between their neighbours. */
export function simplify(offsets: readonly number[]): CropPath {
  for (let allowed = tolerance; ; allowed *= 2) {
    const frames = corners(offsets, allowed);
    if (frames.length <= maxPoints) return frames.map((frame) => ({ frame, offset: Number(offsets[frame]!.toFixed(2)) }));
  }
}

/** Frames of a polygon that is at most `allowed` pixels away from all offsets (Douglas and Peucker's algorithm). */
function corners(offsets: readonly number[], allowed: number): number[] {
  const kept = new Set([0, offsets.length - 1]);
  const open: [number, number][] = [[0, offsets.length - 1]];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const [first, last] = range;
    const slope = (offsets[last]! - offsets[first]!) / Math.max(1, last - first);
    let farthest = first;
    let distance = allowed;
    for (let frame = first + 1; frame < last; frame++) {
      const off = Math.abs(offsets[frame]! - offsets[first]! - slope * (frame - first));
      if (off <= distance) continue;
      distance = off;
      farthest = frame;
    }
    if (farthest === first) continue;
    kept.add(farthest);
    open.push([first, farthest], [farthest, last]);
  }
  return [...kept].sort((one, other) => one - other);
}
