import type { Analysis } from '../analysis/analysis.ts';
import { countBelow } from './rankValues.ts';
import { timelineStep } from '../analysis/timeline.ts';

/** Share of a camera's pan that counts as motion; what moves in the picture counts fully. */
const panShare = 0.25;

/** Distance of pictures that differences are brought to, seconds. */
const usualGap = 0.04;

/**
 * Motion per cell as a logarithm. From pictures: mean luma change at 25 pictures a second, without the changes from shot
 * to shot. With key frames alone: bytes of all packets between them, which is what the encoder could not predict.
 */
export function measureMotion(analysis: Analysis, cells: number): Float32Array {
  return analysis.tier === 'fast' && analysis.frames.times.length * 3 < analysis.frameTimes.length ? motionOfPackets(analysis, cells) : motionOfPictures(analysis, cells);
}

function motionOfPictures({ frames, transitions }: Analysis, cells: number): Float32Array {
  const sum = new Float64Array(cells);
  const covered = new Float64Array(cells);
  let next = 0;
  for (let index = 1; index < frames.times.length; index++) {
    const time = frames.times[index]!;
    while (next < transitions.length && transitions[next]!.end < time - 1e-6) next++;
    const transition = transitions[next];
    const changing = transition !== undefined && time >= transition.start - 1e-6;
    // Motion goes on while one shot dissolves into the other; a part of the change is the dissolve's own.
    if (changing && transition.kind === 'cut') continue;
    const gap = Math.max(time - frames.times[index - 1]!, 1e-3);
    const residual = Math.min(frames.residual[index]!, frames.difference[index]!);
    const change = (changing ? 0.5 : 1) * (residual + panShare * (frames.difference[index]! - residual));
    const cell = cellOf(time, cells);
    // Motion grows a little slower than the distance of the pictures.
    sum[cell] = sum[cell]! + change * (usualGap / gap) ** 0.7 * gap;
    covered[cell] = covered[cell]! + gap;
  }
  return logarithm(sum, covered, 0.4);
}

function motionOfPackets({ frameTimes, frameSizes, frames }: Analysis, cells: number): Float32Array {
  const sum = new Float64Array(cells);
  const covered = new Float64Array(cells);
  let key = 0;
  for (let index = 1; index < frameTimes.length; index++) {
    const time = frameTimes[index]!;
    while (key < frames.times.length && frames.times[key]! < time - 1e-4) key++;
    const isKey = key < frames.times.length && Math.abs(frames.times[key]! - time) <= 1e-4;
    if (isKey) continue;
    const cell = cellOf(time, cells);
    const gap = Math.min(1, Math.max(time - frameTimes[index - 1]!, 1e-3));
    sum[cell] = sum[cell]! + frameSizes[index]!;
    covered[cell] = covered[cell]! + gap;
  }
  const rates = Float64Array.from(sum, (bytes, cell) => (covered[cell]! > 0 ? bytes / covered[cell]! : 0)).sort();
  const floor = Math.max(1, 0.5 * (rates[rates.length >> 1] ?? 1));
  return logarithm(sum, covered, floor);
}

/** Log of the mean per cell above a floor; a cell without a value takes that of the one before. */
function logarithm(sum: Float64Array, covered: Float64Array, floor: number): Float32Array {
  const motion = new Float32Array(sum.length);
  for (let cell = 0; cell < sum.length; cell++) {
    const empty = covered[cell]! <= 0;
    motion[cell] = empty ? (motion[cell - 1] ?? 0) : Math.log1p(sum[cell]! / covered[cell]! / floor);
  }
  return motion;
}

/** Cell that a time lies in. */
export function cellOf(time: number, cells: number): number {
  return Math.min(cells - 1, Math.max(0, Math.floor(time / timelineStep + 1e-9)));
}

/** Number of the shot at each cell's middle; within a transition that of the shot before. */
export function shotOfCells(analysis: Analysis, cells: number): Uint32Array {
  const starts = analysis.shots.map((shot) => shot.start);
  return Uint32Array.from({ length: cells }, (_, cell) => Math.max(0, countBelow(starts, (cell + 0.5) * timelineStep) - 1));
}
