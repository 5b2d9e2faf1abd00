import { shareOfFaces, type Axis, type FaceSample } from '../../faces/facesShown.ts';
import { cropOf, type FrameShape } from './frameShape.ts';
import type { SalientSegment } from './measureSaliency.ts';
import { planCrop, type CropShot } from './planCrop.ts';
import type { SaliencySample } from './saliencyMeter.ts';

/** Positions of the crop over the segments of a preview. */
export interface CropTrack {
  /** The shots of all segments, ascending in time. */
  shots: readonly CropShot[];
  /** Share of the measured motion inside the crop, 0–1; null if nothing moves. */
  motionShare: number | null;
  /** Share of the found faces inside the crop, 0–1; null without faces. */
  facesShare: number | null;
}

/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-4;

/** Plans the crop of a shape: one path per shot, so that the crop jumps only where the picture does. */
export function followMotion(segments: readonly SalientSegment[], shape: FrameShape): CropTrack {
  const { axis, share } = cropOf(shape);
  const samples: SaliencySample[] = [];
  const faces: FaceSample[] = [];
  const shots = [...segments].sort((one, other) => one.start - other.start).flatMap((segment) => shotsOf(segment).map(({ start, end }) => {
    const own = segment.samples.filter(({ after, time }) => time >= start - sameFrame && time < end - sameFrame && after >= start - sameFrame);
    const seen = segment.faces.filter(({ time }) => time >= start - sameFrame && time < end - sameFrame);
    samples.push(...own);
    faces.push(...seen);
    return planCrop({ samples: own, faces: seen, start, end, axis, share });
  }));
  const window = windowOf({ shots }, share);
  return { shots, motionShare: motionShare(samples, { shots }, axis, share), facesShare: shareOfFaces(faces, axis, window) };
}

/** The parts of a segment between its transitions. During a dissolve, the crop moves from one shot to the next. */
function shotsOf({ start, end, transitions }: SalientSegment): { start: number; end: number }[] {
  const shots: { start: number; end: number }[] = [];
  let from = start;
  for (const transition of transitions) {
    if (transition.start > from + sameFrame) shots.push({ start: from, end: transition.start });
    from = Math.max(from, transition.end);
  }
  if (end > from + sameFrame || shots.length === 0) shots.push({ start: from, end });
  return shots;
}

/** Position of the crop in the picture at a time, 0–1. */
export function positionAt({ shots }: Pick<CropTrack, 'shots'>, time: number): number {
  const low = latestPlace(shots, ({ start }) => start <= time + sameFrame);
  const shot = shots[low];
  if (shot === undefined) return 0.5;
  const next = shots[low + 1];
  const last = shot.knots.at(-1)!;
  if (next === undefined || time < shot.end || next.start - shot.end < sameFrame || time > next.start) return between(shot.knots, time);
  return mix(last.position, next.knots[0]!.position, (time - shot.end) / (next.start - shot.end));
}

function between(knots: CropShot['knots'], time: number): number {
  const low = latestPlace(knots, (knot) => knot.time <= time);
  const [from, to] = [knots[low]!, knots[low + 1]];
  if (to === undefined || time <= from.time) return from.position;
  return mix(from.position, to.position, (time - from.time) / (to.time - from.time));
}

/** Place of the last entry of an ascending list that has begun; 0 if none has. */
function latestPlace<Entry>(entries: readonly Entry[], hasBegun: (entry: Entry) => boolean): number {
  let low = 0;
  for (let high = entries.length; low + 1 < high;) {
    const middle = (low + high) >> 1;
    if (hasBegun(entries[middle]!)) low = middle;
    else high = middle;
  }
  return low;
}

function mix(from: number, to: number, share: number): number {
  return from + (to - from) * Math.max(0, Math.min(1, share));
}

/** Returns the part of the picture that a crop shows at a time: its start and its length, as shares of the picture. */
export function windowOf(track: Pick<CropTrack, 'shots'>, share: number): (time: number) => { from: number; length: number } {
  return (time) => ({ from: positionAt(track, time) * (1 - share), length: share });
}

/** Share of the motion that a crop shows, for reports and benchmarks. */
export function motionShare(samples: readonly SaliencySample[], track: Pick<CropTrack, 'shots'>, axis: Axis, share: number): number | null {
  let shown = 0;
  let all = 0;
  for (const sample of samples) {
    const values = sample.motion[axis];
    const left = positionAt(track, sample.time) * (1 - share) * values.length;
    for (let place = 0; place < values.length; place++) {
      const inside = Math.min(place + 1, left + share * values.length) - Math.max(place, left);
      all += values[place]!;
      shown += values[place]! * Math.max(0, inside);
    }
  }
  return all === 0 ? null : shown / all;
}
