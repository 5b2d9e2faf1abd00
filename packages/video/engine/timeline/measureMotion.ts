import type { Analysis } from '../analysis/analysis.ts';
import { countBelow } from './rankValues.ts';
import { timelineStep } from '../analysis/timeline.ts';

/** Weight of camera motion (pan); motion of objects has weight 1. */
const panShare = 0.25;

/** Picture interval to which the differences are normalised, seconds. */
const usualGap = 0.04;

/**
 * Motion per cell, logarithmic. If the pictures were decoded: the mean luma change at 25 pictures per second, without hard
 * cuts and with half of the change during dissolves. If only key frames were decoded: the bytes per second of all other
 * packets, which hold what the encoder could not predict.
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
    // During a dissolve or fade both shots move, but a part of the change comes from the transition itself.
    if (changing && transition.kind === 'cut') continue;
    const gap = Math.max(time - frames.times[index - 1]!, 1e-3);
    const residual = Math.min(frames.residual[index]!, frames.difference[index]!);
    const change = (changing ? 0.5 : 1) * (residual + panShare * (frames.difference[index]! - residual));
    const cell = cellOf(time, cells);
    // The difference grows a little slower than the picture interval.
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

/** Logarithm of each cell's mean relative to `floor`. A cell without a value takes the value of the previous cell. */
function logarithm(sum: Float64Array, covered: Float64Array, floor: number): Float32Array {
  const motion = new Float32Array(sum.length);
  for (let cell = 0; cell < sum.length; cell++) {
    const empty = covered[cell]! <= 0;
    motion[cell] = empty ? (motion[cell - 1] ?? 0) : Math.log1p(sum[cell]! / covered[cell]! / floor);
  }
  return motion;
}

/** Index of the cell that contains a time (seconds), limited to the existing cells. */
export function cellOf(time: number, cells: number): number {
  return Math.min(cells - 1, Math.max(0, Math.floor(time / timelineStep + 1e-9)));
}

/** Index of the shot at the middle of each cell; within a transition, the index of the previous shot. */
export function shotOfCells(analysis: Analysis, cells: number): Uint32Array {
  const starts = analysis.shots.map((shot) => shot.start);
  return Uint32Array.from({ length: cells }, (_, cell) => Math.max(0, countBelow(starts, (cell + 0.5) * timelineStep) - 1));
}
