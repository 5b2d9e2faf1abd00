import type { Analysis } from '../analysis/analysis.ts';
import { soundStep } from '../sound/soundTrack.ts';
import { countBelow } from './rankValues.ts';

/** Sound below this level counts as equal, dB relative to full scale. */
export const inaudible = -55;

/** Measurements of the whole video every 20 ms (`soundStep`), in tables, because the alignment of two shots looks up 40 values per compared value. */
export interface Curves {
  brightness: Float32Array;
  contrast: Float32Array;
  /** Mean level of 100 ms, dB relative to full scale. */
  loudness: Float32Array;
}

export function readCurves({ frames, sound }: Analysis): Curves {
  const { times } = frames;
  const places = Uint32Array.from({ length: Math.ceil((times.at(-1) ?? 0) / soundStep) + 2 }, (_, step) => Math.max(0, countBelow(times, step * soundStep + 1e-6) - 1));
  const table = (values: Float32Array): Float32Array => Float32Array.from(places, (place) => values[place] ?? 0);
  const levels = sound?.loudness ?? new Float32Array();
  const heard = levels.map((_, index) => {
    const place = Math.min(levels.length - 3, Math.max(2, index));
    const mean = (levels[place - 2]! + levels[place - 1]! + levels[place]! + levels[place + 1]! + levels[place + 2]!) / 5;
    return Math.max(inaudible, mean);
  });
  return { brightness: table(frames.brightness), contrast: table(frames.contrast), loudness: heard.length > 0 ? heard : Float32Array.of(inaudible) };
}

/** Value of a curve at a time, seconds; before the start and after the end, the first and the last value. */
export function valueAt(curve: Float32Array, time: number): number {
  return curve[Math.min(curve.length - 1, Math.max(0, Math.round(time / soundStep)))]!;
}
