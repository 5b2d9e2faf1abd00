import { profileOf, type Axis, type FaceSample } from '../../faces/facesShown.ts';
import type { SaliencySample } from './saliencyMeter.ts';
import { startsForFaces, type Starts } from './startsForFaces.ts';

/** The position of a crop within one shot: 0 at the left or top, 1 at the right or bottom. */
export interface CropShot {
  /** Seconds. */
  start: number;
  end: number;
  /** Ascending in time, at least one; the position moves evenly between them. */
  knots: readonly { time: number; position: number }[];
}

interface CropRequest {
  /** Samples of one shot, ascending in time. */
  samples: readonly SaliencySample[];
  /** Faces of some pictures of the shot, ascending in time. */
  faces: readonly FaceSample[];
  start: number;
  end: number;
  axis: Axis;
  /** Share of the picture's width (or height) that the crop shows. */
  share: number;
}

/** Highest speed of the crop, widths (or heights) of the picture per second. */
export const maxSpeed = 0.4;
/** Cost of a move over the whole picture: as much as showing nothing of interest for this many seconds. */
const moveCost = 1;
/** Additional cost of fast moves, per squared speed and second. */
const speedCost = 2;
/** Shots shorter than this are not panned, seconds. */
const shortest = 1.2;
/** Time over which the position is smoothed so that moves begin and end gently, seconds; applied twice. */
const smoothing = 0.5;
/** Motion (sum of differences) at which motion and the still picture have the same weight. */
const muchMotion = 4000;
/** Seconds over which motion is averaged around each sample. */
const memory = 0.5;
/** Weight at the edge of the crop relative to its middle: what is of interest should not touch the edge. */
const edgeWeight = 0.25;
/** Weight of faces beside motion and texture. */
const faceWeight = 0.6;
/** Loss for each width of the crop by which it is away from showing faces as a whole: more than all motion is worth, so that motion cuts no face. */
const cutFaceCost = 4;

/**
 * Plans the position of the crop in one shot: shows faces and as much of the motion as possible, but rests where it can, moves slowly, and
 * never jumps. Where nothing moves, the crop shows texture and colour near the middle of the picture.
 */
export function planCrop(request: CropRequest): CropShot {
  const { samples, start, end, axis } = request;
  const length = samples[0]?.motion[axis].length ?? 1;
  const window = request.share * length;
  const positions = Math.max(1, Math.floor(length - window) + 1);
  if (samples.length === 0 || positions === 1) return { start, end, knots: [{ time: start, position: 0.5 }] };
  const starts = startsForFaces(request.faces, axis, request.share);
  const shown = profilesOf(request).map((profile, at) => keepFaces(shownAt(profile, window, positions), starts[nearest(request.faces, samples[at]!.time)] ?? null, length, window));
  const durations = samples.map(({ time }, at) => Math.max(0.02, (samples[at + 1]?.time ?? end) - time));
  const room = positions - 1;
  if (end - start < shortest) return { start, end, knots: [{ time: start, position: bestRest(shown, durations) / room }] };
  const path = smooth(samples, bestPath(shown, durations, length));
  return { start, end, knots: path.map((position, at) => ({ time: samples[at]!.time, position: position / room })) };
}

/** Interest over the columns (or rows) for each sample; the sum of each profile is 1. */
function profilesOf({ samples, faces, axis }: CropRequest): Float32Array[] {
  return samples.map((sample, at) => {
    const motion = new Float32Array(sample.motion[axis].length);
    for (let near = at; near >= 0 && samples[near]!.time >= sample.time - memory / 2; near--) addTo(motion, samples[near]!.motion[axis]);
    for (let near = at + 1; near < samples.length && samples[near]!.time <= sample.time + memory / 2; near++) addTo(motion, samples[near]!.motion[axis]);
    const amount = sumOf(sample.motion[axis]);
    const total = sumOf(motion);
    const weight = total === 0 ? 0 : amount / (amount + muchMotion) + 0.2;
    const texture = sample.texture[axis];
    const allTexture = sumOf(texture) || 1;
    const prior = middle(motion.length);
    const interest = motion.map((value, place) => (
      Math.min(1, weight) * (value / (total || 1)) + Math.max(0, 1 - weight) * (0.4 * (texture[place]! / allTexture) + 0.6 * prior[place]!)));
    const seen = profileOf(faces[nearest(faces, sample.time)]?.faces ?? [], axis, motion.length);
    return seen === null ? interest : interest.map((value, place) => (1 - faceWeight) * value + faceWeight * seen[place]!);
  });
}

/** Index of the sample that is nearest in time; -1 if there is none. */
function nearest(samples: readonly FaceSample[], time: number): number {
  return samples.reduce((best, each, at) => (best >= 0 && Math.abs(samples[best]!.time - time) <= Math.abs(each.time - time) ? best : at), -1);
}

/** Lowers what positions are worth that cut faces. */
function keepFaces(shown: Float32Array, starts: Starts | null, length: number, window: number): Float32Array {
  if (starts === null) return shown;
  return shown.map((value, position) => value - cutFaceCost * (Math.max(0, starts.from * length - position - 0.5, position - starts.to * length - 0.5) / window));
}

/** Weights around the middle of the picture, where cameras put their subject; the sum is 1. */
function middle(length: number): Float32Array {
  const weights = Float32Array.from({ length }, (_, place) => Math.exp(-(((place + 0.5) / length - 0.5) ** 2) / (2 * 0.18 ** 2)));
  const total = sumOf(weights);
  return weights.map((value) => value / total);
}

/** Interest that the crop shows at each position, at most 1. */
function shownAt(profile: Float32Array, window: number, positions: number): Float32Array {
  return Float32Array.from({ length: positions }, (_, position) => {
    let sum = 0;
    for (let place = position; place < position + window && place < profile.length; place++) {
      const fromEdge = Math.min(place + 0.5 - position, position + window - place - 0.5) / window;
      sum += profile[place]! * Math.min(1, edgeWeight + Math.max(0, fromEdge) * ((1 - edgeWeight) / 0.25));
    }
    return sum;
  });
}

/** The path with the lowest sum of missed interest and moves, by dynamic programming. */
function bestPath(shown: readonly Float32Array[], durations: readonly number[], length: number): number[] {
  const positions = shown[0]!.length;
  const froms: Int16Array[] = [];
  let costs = shown[0]!.map((value) => (1 - value) * durations[0]!);
  for (let at = 1; at < shown.length; at++) {
    const reach = Math.max(1, Math.floor(maxSpeed * durations[at - 1]! * length));
    const moves = Array.from({ length: reach + 1 }, (_, distance) => costOf(distance / length, durations[at - 1]!));
    const next = new Float32Array(positions);
    const from = new Int16Array(positions);
    for (let position = 0; position < positions; position++) {
      let best = Infinity;
      for (let other = Math.max(0, position - reach); other <= Math.min(positions - 1, position + reach); other++) {
        const cost = costs[other]! + moves[Math.abs(position - other)]!;
        if (cost >= best) continue;
        best = cost;
        from[position] = other;
      }
      next[position] = best + (1 - shown[at]![position]!) * durations[at]!;
    }
    froms.push(from);
    costs = next;
  }
  const path = [costs.indexOf(Math.min(...costs))];
  for (const from of froms.toReversed()) path.push(from[path.at(-1)!]!);
  return path.toReversed();
}

function costOf(distance: number, seconds: number): number {
  return moveCost * distance + speedCost * (distance / seconds) ** 2 * seconds;
}

function bestRest(shown: readonly Float32Array[], durations: readonly number[]): number {
  const sums = new Float32Array(shown[0]!.length);
  for (const [at, values] of shown.entries()) for (let position = 0; position < sums.length; position++) sums[position]! += values[position]! * durations[at]!;
  return sums.indexOf(Math.max(...sums));
}

/** Averages positions over time, twice. Averages of positions are never faster than the path itself. */
function smooth(samples: readonly SaliencySample[], path: readonly number[]): number[] {
  const once = (values: readonly number[]): number[] => values.map((_, at) => {
    // The same number of samples on both sides, so that the ends of the shot keep their positions.
    let sum = values[at]!;
    let count = 1;
    for (let off = 1; at - off >= 0 && at + off < values.length && samples[at + off]!.time - samples[at]!.time <= smoothing; off++) {
      sum += values[at - off]! + values[at + off]!;
      count += 2;
    }
    return sum / count;
  });
  return once(once(path));
}

function addTo(sums: Float32Array, values: Float32Array): void {
  for (let at = 0; at < sums.length; at++) sums[at]! += values[at]!;
}

function sumOf(values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
