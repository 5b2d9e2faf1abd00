import type { Face } from './findFaces.ts';

/** The faces of one picture. */
export interface FaceSample {
  /** Seconds. */
  time: number;
  faces: readonly Face[];
}

/** Direction in which a crop moves. */
export type Axis = 'columns' | 'rows';

/** Where faces are along an axis: weights of `length` columns (or rows) whose sum is 1, large faces first of all; null without faces. */
export function profileOf(faces: readonly Face[], axis: Axis, length: number): Float32Array | null {
  const profile = new Float32Array(length);
  let total = 0;
  for (const face of faces) {
    const { from, to, weight } = extentOf(face, axis);
    for (let place = Math.max(0, Math.floor(from * length)); place < Math.min(length, to * length); place++) {
      const covered = Math.min(place + 1, to * length) - Math.max(place, from * length);
      profile[place]! += weight * covered;
      total += weight * covered;
    }
  }
  return total > 0 ? profile.map((value) => value / total) : null;
}

/**
 * Share of the areas of faces that a part of the picture shows, 0–1; null without faces.
 * @param window returns the part at a time: its start, and its length, as shares of the picture
 */
export function shareOfFaces(samples: readonly FaceSample[], axis: Axis, window: (time: number) => { from: number; length: number }): number | null {
  let [shown, all] = [0, 0];
  for (const { time, faces } of samples) {
    const { from: left, length } = window(time);
    for (const face of faces) {
      const { from, to, weight } = extentOf(face, axis);
      all += weight * (to - from);
      shown += weight * Math.max(0, Math.min(to, left + length) - Math.max(from, left));
    }
  }
  return all > 0 ? shown / all : null;
}

/** Part of a face inside the picture: from where to where along the axis, and its length across it. */
export function extentOf({ left, top, width, height }: Face, axis: Axis): { from: number; to: number; weight: number } {
  const [along, across] = axis === 'columns' ? [[left, width], [top, height]] as const : [[top, height], [left, width]] as const;
  const inside = ([start, length]: readonly [number, number]): readonly [number, number] => [Math.max(0, start), Math.min(1, start + length)];
  const [from, to] = inside(along);
  const [begin, end] = inside(across);
  return { from, to: Math.max(from, to), weight: Math.max(0, end - begin) };
}
