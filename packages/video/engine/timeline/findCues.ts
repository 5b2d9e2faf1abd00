import type { Analysis } from '../analysis/analysis.ts';
import { layoutLength, layoutStep, type FrameTrack } from '../pictures/frameTrack.ts';
import { soundStep } from '../sound/soundTrack.ts';
import { countBelow } from './rankValues.ts';
import type { CueKind, TechnicalCue } from '../analysis/timeline.ts';

/** Video black; some files have a little less or more. */
const black = 16;
/** Shortest runs, seconds: shorter ones are a blink, or chance. */
const least: Readonly<Record<'black' | 'bars' | 'text' | 'static', number>> = { black: 0.15, bars: 1, text: 0.8, static: 5 };
/** Cues that are so close belong together: what lies between is a fade, seconds. */
const fade = 0.8;
/** A film of intertitles or a lecture of slides is not made of title cards: more than this share of the video. */
const maxText = 0.3;
const maxStatic = 0.5;
/** Text that rolls changes by 1 to 7 grey values from picture to picture, but evenly: this share of it from one to the next. */
const maxUneven = 0.3;

type Run = Pick<TechnicalCue, 'start' | 'end'>;

/**
 * Finds what is technical: black, colour bars, title cards, a slate (a card right after bars), credits, and pictures that
 * stand still in silence. Measured on generated cards and on real trailers: letters on black have a deviation of 3 to 6
 * times their mean brightness above black, dark scenes of about 1.
 */
export function findCues(analysis: Analysis): TechnicalCue[] {
  const { frames } = analysis;
  const ending = Math.max(analysis.info.duration, frames.times.at(-1) ?? 0);
  const kind = (name: CueKind) => (run: Run): TechnicalCue => ({ kind: name, start: run.start, end: run.end });
  const runsOf = (holds: (index: number) => boolean, shortest: number): Run[] =>
    runs(frames.times, ending, holds).filter(({ start, end }) => end - start >= shortest);
  const dark = runsOf((index) => frames.brightness[index]! < black + 8 && frames.contrast[index]! < 2.5, least.black).map(kind('black'));
  const bars = runsOf((index) => frames.saturation[index]! > 25 && isBars(frames, frames.times[index]!), least.bars).map(kind('bars'));
  const text = textRuns(frames, runsOf((index) => isText(frames, index), least.text), ending * maxText)
    .map((run) => kind(textKind(run, frames, bars, ending))(run))
    .map((cue) => (analysis.tier === 'fast' && cue.kind === 'credits' ? { ...cue, start: pictureBefore(frames.times, cue.start) } : cue));
  const still = stillRuns(analysis, runsOf((index) => index > 0 && frames.difference[index]! < 0.15, least.static), ending);
  return bridgeFades([...dark, ...bars, ...text, ...still.map(kind('static'))].sort((a, b) => a.start - b.start || a.end - b.end));
}

/** Few bright letters on black, without colour. */
function isText({ brightness, contrast, saturation }: FrameTrack, index: number): boolean {
  const light = brightness[index]! - black;
  return light < 30 && contrast[index]! > 6 && saturation[index]! < 5 && contrast[index]! > 2.2 * Math.max(1, light);
}

/** Text moves evenly or not at all; fireworks do not. Too much of it is the film itself. */
function textRuns({ times, residual }: FrameTrack, found: readonly Run[], most: number): Run[] {
  const calm = found.filter(({ start, end }) => {
    const changes = residual.filter((_, index) => times[index]! > start && times[index]! < end);
    const jumps = changes.map((change, index) => Math.abs(change - (changes[index - 1] ?? change)));
    return middle(changes) < 1 || middle(jumps) < maxUneven * middle(changes);
  });
  return lengths(calm) > most ? [] : calm;
}

function textKind({ start, end }: Run, { times, difference }: FrameTrack, bars: readonly Run[], ending: number): CueKind {
  if (bars.some((bar) => start >= bar.end - 1e-6 && start - bar.end < 3)) return 'slate';
  const moves = difference.filter((_, index) => times[index]! > start && times[index]! < end).sort();
  const rolls = (moves[moves.length >> 1] ?? 0) > 0.5 && end - start > 5;
  return rolls || start > ending * 0.85 ? 'credits' : 'title';
}

/** Where only key frames are known, credits may begin anywhere behind the one before; better too early than shown. */
function pictureBefore(times: Float64Array, start: number): number {
  return times[Math.max(0, countBelow(times, start - 1e-6) - 1)] ?? start;
}

/** Vertical stripes of many greys: each column is even over the upper two thirds. */
function isBars({ layouts }: FrameTrack, time: number): boolean {
  const row = Math.floor(time / layoutStep + 1e-6) * layoutLength;
  const columns = Array.from({ length: 8 }, (_, column) => [0, 1, 2, 3].map((line) => layouts[row + line * 8 + column] ?? 0));
  if (columns.some((values) => Math.max(...values) - Math.min(...values) > 6)) return false;
  const greys = columns.map((values) => values[0]!).sort((a, b) => a - b);
  const steps = greys.filter((grey, index) => index === 0 || grey - greys[index - 1]! > 5).length;
  return steps >= 5 && greys[7]! - greys[0]! > 60;
}

/** Of pictures that stand still those without any sound; none where most of the video stands still, as slides do. */
function stillRuns({ sound }: Analysis, found: readonly Run[], ending: number): Run[] {
  if (lengths(found) > maxStatic * ending) return [];
  if (sound === null) return [...found];
  return found.filter(({ start, end }) => {
    const levels = sound.loudness.subarray(Math.floor(start / soundStep), Math.ceil(end / soundStep));
    return levels.every((level) => level < -50);
  });
}

/** What lies between two cues for less than 0.8 s is a fade from one to the other, and goes with the first. */
function bridgeFades(cues: readonly TechnicalCue[]): TechnicalCue[] {
  return cues.map((cue, index) => {
    const next = cues[index + 1];
    const gap = next === undefined ? 0 : next.start - cue.end;
    return gap > 0 && gap < fade ? { ...cue, end: cue.end + gap } : cue;
  });
}

function middle(values: Float32Array): number {
  const sorted = values.slice().sort();
  return sorted[sorted.length >> 1] ?? 0;
}

function lengths(found: readonly Run[]): number {
  return found.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Runs of pictures for which something holds, each to the first picture for which it does not. */
function runs(times: Float64Array, ending: number, holds: (index: number) => boolean): Run[] {
  const result: Run[] = [];
  for (let index = 0; index < times.length; index++) {
    if (!holds(index)) continue;
    const start = times[index]!;
    while (index < times.length && holds(index)) index++;
    result.push({ start, end: times[index] ?? ending });
  }
  return result;
}
