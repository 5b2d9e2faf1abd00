import { firstFrame } from '../media/firstFrame.ts';
import { layoutLength, layoutStep, type FrameTrack } from './frameTrack.ts';

/** Measurements of all pictures of a part of a video, from ≤ time < to, seconds. */
export interface TrackPart {
  from: number;
  to: number;
  frames: FrameTrack;
}

/** A run of pictures of a track, from ≤ index < to. */
interface Run {
  track: FrameTrack;
  from: number;
  to: number;
}

const columns = ['difference', 'residual', 'pan', 'brightness', 'contrast', 'saturation', 'detail', 'sharpness'] as const;
/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-4;

/**
 * Replaces parts of a track of few pictures by tracks of all pictures. The first picture of a part was compared with no other
 * picture, so the part keeps the measurements of the track for this picture, if there are any.
 * @param parts ascending, without overlaps
 */
export function replaceParts(track: FrameTrack, parts: readonly TrackPart[]): FrameTrack {
  const known = parts.filter(({ frames }) => frames.times.length > 0);
  const runs: Run[] = [];
  let at = 0;
  for (const { from, to, frames } of known) {
    const first = firstFrame(track.times, from - sameFrame);
    const shared = Math.abs((track.times[first] ?? Infinity) - frames.times[0]!) < sameFrame ? 1 : 0;
    runs.push({ track, from: at, to: first + shared }, { track: frames, from: shared, to: frames.times.length });
    at = firstFrame(track.times, to - sameFrame);
  }
  runs.push({ track, from: at, to: track.times.length });
  const joined = columns.map((name) => [name, Float32Array.from(join(runs, (one) => one[name]))]);
  return {
    ...(Object.fromEntries(joined) as Record<(typeof columns)[number], Float32Array>),
    times: Float64Array.from(join(runs, ({ times }) => times)),
    layouts: replaceLayouts(track.layouts, known),
    // A part numbers its own pages.
    pages: track.pages,
  };
}

function join(runs: readonly Run[], valuesOf: (track: FrameTrack) => Float32Array | Float64Array): number[] {
  return runs.flatMap(({ track, from, to }) => Array.from(valuesOf(track).subarray(from, to)));
}

function replaceLayouts(layouts: Uint8Array, parts: readonly TrackPart[]): Uint8Array {
  const rows = Math.max(0, ...[layouts, ...parts.map(({ frames }) => frames.layouts)].map(({ length }) => length / layoutLength));
  const replaced = new Uint8Array(rows * layoutLength);
  replaced.set(layouts);
  // The picture that a track ends with is shown until the next part.
  for (let at = layouts.length; at > 0 && at < replaced.length; at++) replaced[at] = replaced[at - layoutLength]!;
  for (const { from, to, frames } of parts) {
    const [first, last] = [Math.ceil(from / layoutStep - 1e-6), Math.min(Math.ceil(to / layoutStep - 1e-6), frames.layouts.length / layoutLength)];
    if (last > first) replaced.set(frames.layouts.subarray(first * layoutLength, last * layoutLength), first * layoutLength);
  }
  return replaced;
}
