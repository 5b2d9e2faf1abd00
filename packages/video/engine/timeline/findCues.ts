import type { Analysis } from '../analysis/analysis.ts';
import type { TechnicalCue } from './timeline.ts';

/** A picture is black below this mean luma (video black is 16) and this deviation. */
const blackBrightness = 24;
const blackContrast = 5;
/** Shorter runs are not black: a blink between two shots, seconds. */
const blackLeast = 0.15;

/** Finds what is technical: black. */
export function findCues(analysis: Analysis): TechnicalCue[] {
  const { times, brightness, contrast } = analysis.frames;
  const black = runs(times, analysis.info.duration, (index) => brightness[index]! < blackBrightness && contrast[index]! < blackContrast);
  return black.filter(({ start, end }) => end - start >= blackLeast).map((run) => ({ kind: 'black', ...run }));
}

/** Runs of pictures for which something holds, each to the first picture for which it does not. */
function runs(times: Float64Array, ending: number, holds: (index: number) => boolean): { start: number; end: number }[] {
  const result: { start: number; end: number }[] = [];
  for (let index = 0; index < times.length; index++) {
    if (!holds(index)) continue;
    const start = times[index]!;
    while (index < times.length && holds(index)) index++;
    result.push({ start, end: times[index] ?? Math.max(ending, times.at(-1)!) });
  }
  return result;
}
