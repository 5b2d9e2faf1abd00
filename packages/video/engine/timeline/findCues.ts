import type { Analysis } from '../analysis/analysis.ts';
import { layoutLength, layoutStep, steepestStep, type FrameTrack } from '../pictures/frameTrack.ts';
import { soundStep } from '../sound/soundTrack.ts';
import { countBelow } from './rankValues.ts';
import type { CueKind, TechnicalCue } from '../analysis/timeline.ts';

/** Luma of video black and white; some files deviate slightly. */
const black = 16;
const white = 235;
/** Mean brightness above black of dim letters on black. */
const dimLetters = 3;
/** Minimum durations, seconds: shorter runs are blinks or chance. */
const least: Readonly<Record<'black' | 'white' | 'bars' | 'text' | 'static' | 'dim' | 'blurred' | 'damaged', number>> = { black: 0.15, white: 0.15, bars: 1, text: 0.8, static: 5, dim: 0.5, blurred: 0.5, damaged: 0.4 };
/** Maximum gap between two cues that is attributed to a fade between them, seconds. */
const fade = 0.8;
/**
 * If text covers more than this share of the video, no text is a title card: the video is a film with intertitles or a slide
 * lecture.
 */
const maxText = 0.3;
/** If still pictures cover more than this share of the video, for example in a slide lecture, no still picture is a cue. */
const maxStatic = 0.5;
/**
 * Rolling text changes by 1 to 7 levels of grey from picture to picture, but evenly: the change differs from one picture to
 * the next by less than this share of the change.
 */
const maxUneven = 0.3;

/**
 * A picture is dim if its highlights (mean plus two standard deviations, above black) are below this share of the video's median:
 * nothing in the picture is bright, unlike in night scenes with lights and faces. On composed films, scenes darkened to a fifth have
 * at most 0.30, other scenes at least 0.36. Small lights hardly change the mean and the deviation, so the steepest step between two
 * pixels counts as a highlight too: fireworks have steps of 100 levels of grey where mean and deviation give 30.
 */
const dimShare = 0.31;
/** If dim pictures cover more than this share of the video, the video is meant to be dark and no part is dim. */
const maxDim = 0.3;
/**
 * A picture is blurred if its steepest step is below this number of standard deviations. On composed films, scenes blurred by 8 % of
 * their width have at most 0.92, other scenes at least 1.3, also in fast motion.
 */
const blurredStep = 1;
/** Standard deviation of luma below which a picture has nothing that could be blurred, levels of grey. */
const flatContrast = 6;
/** If blurred pictures cover more than this share of the video, the video is meant to be soft and no part is blurred. */
const maxBlurred = 0.3;

/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-4;

type Run = Pick<TechnicalCue, 'start' | 'end'>;
/** Finds the runs of at least `shortest` seconds in which `holds` is true. */
type FindRuns = (holds: (index: number) => boolean, shortest: number) => Run[];

/**
 * Finds technical cues: black, white, colour bars, title cards, slates (a card right after bars), credits, still pictures in silence,
 * parts that are dim compared with the video, parts without focus, and parts whose frames cannot be decoded. The thresholds were measured on generated cards and real trailers: for
 * letters on black, the standard deviation is 3 to 6 times the mean brightness above black; for dark scenes, about 1 time.
 */
export function findCues(analysis: Analysis): TechnicalCue[] {
  const { frames } = analysis;
  const ending = Math.max(analysis.info.duration, frames.times.at(-1) ?? 0);
  const kind = (name: CueKind) => (run: Run): TechnicalCue => ({ kind: name, start: run.start, end: run.end });
  const runsOf: FindRuns = (holds, shortest) =>
    runs(frames.times, ending, holds).filter(({ start, end }) => end - start >= shortest);
  const dark = runsOf((index) => isBlack(frames, index), least.black).map(kind('black'));
  const light = runsOf((index) => isWhite(frames, index), least.white).map(kind('white'));
  const bars = runsOf((index) => frames.saturation[index]! > 25 && isBars(frames, frames.times[index]!), least.bars).map(kind('bars'));
  const text = textRuns(frames, runsOf((index) => isText(frames, index), least.text), ending * maxText)
    .map((run) => kind(textKind(run, frames, bars, ending))(run))
    .map((cue) => (analysis.tier === 'fast' && cue.kind === 'credits' ? { ...cue, start: pictureBefore(frames.times, cue.start) } : cue));
  const still = stillRuns(analysis, runsOf((index) => index > 0 && frames.difference[index]! < 0.15, least.static), ending);
  const dim = dimRuns(frames, runsOf, ending).map((run) => endOfSkipped(analysis, run)).map(kind('dim'));
  const blurred = blurredRuns(frames, runsOf, ending).map(kind('blurred'));
  return bridgeFades([...dark, ...light, ...bars, ...text, ...dim, ...blurred, ...still.map(kind('static')), ...damagedRuns(analysis, ending).map(kind('damaged'))].sort((a, b) => a.start - b.start || a.end - b.end));
}

function isBlack({ brightness, contrast }: FrameTrack, index: number): boolean {
  return brightness[index]! < black + 8 && contrast[index]! < 2.5;
}

function isWhite({ brightness, contrast }: FrameTrack, index: number): boolean {
  return brightness[index]! > white - 8 && contrast[index]! < 2.5;
}

/** Whether a picture shows a few colourless letters on black: bright ones, or grey ones on a picture that is otherwise black. */
function isText({ brightness, contrast, saturation }: FrameTrack, index: number): boolean {
  const light = brightness[index]! - black;
  const least = light < dimLetters ? 2.5 : 6;
  return light < 30 && contrast[index]! > least && saturation[index]! < 5 && contrast[index]! > 2.2 * Math.max(1, light);
}

/** Parts that are dim compared with the median of all pictures that are not black or text. */
function dimRuns(frames: FrameTrack, runsOf: FindRuns, ending: number): Run[] {
  const { brightness, contrast } = frames;
  const highlights = brightness.map((value, index) => value - black + 2 * contrast[index]!);
  const floor = dimShare * middle(highlights.filter((_, index) => brightness[index]! >= black + 8 && !isText(frames, index)));
  const isDim = (index: number): boolean => Math.max(highlights[index]!, steepestStep(frames, index)) < floor;
  const found = runsOf((index) => isDim(index) && !isBlack(frames, index) && !isText(frames, index), least.dim);
  return lengths(found) > maxDim * ending ? [] : found;
}

/**
 * Where a tier skips more than `least.dim` seconds, the last picture of a run stands for all frames until the next picture, and what follows
 * it may be another scene: the run ends at the first known cut after the last picture, up to the next one, or half-way between the two. In
 * `fast`, of two composed films with a key frame every 2 s, 0.7 instead of 4.1 s of other scenes are dim, and of six with key frames at cuts,
 * all 24.6 s of dark scenes stay dim (12.3 s if a cut at the next picture did not count).
 */
function endOfSkipped({ frames: { times }, frameTimes, shots }: Analysis, { start, end }: Run): Run {
  const next = countBelow(times, end - sameFrame);
  const last = times[next - 1]!;
  const skipped = next < times.length && end - last > least.dim && countBelow(frameTimes, end - sameFrame) > countBelow(frameTimes, last + sameFrame);
  if (!skipped) return { start, end };
  return { start, end: shots.find((shot) => shot.start > last + sameFrame && shot.start < end + sameFrame)?.start ?? (last + end) / 2 };
}

/** Fewest frames without a picture that make a damaged part. */
const leastLost = 3;

/** Parts of which the file has frames but the decoder no pictures; none in tiers that skip frames. */
function damagedRuns({ tier, frames, frameTimes }: Analysis, ending: number): Run[] {
  if (tier !== 'accurate') return [];
  const found: Run[] = [];
  for (let index = 0; index <= frames.times.length; index++) {
    const first = index === 0 ? 0 : countBelow(frameTimes, frames.times[index - 1]! + sameFrame);
    const next = frames.times[index] ?? Number.POSITIVE_INFINITY;
    const run = { start: frameTimes[first] ?? ending, end: Math.min(next, ending) };
    if (countBelow(frameTimes, next - sameFrame) - first >= leastLost && run.end - run.start >= least.damaged) found.push(run);
  }
  return found;
}

/** Parts in which nothing is in focus. */
function blurredRuns(frames: FrameTrack, runsOf: FindRuns, ending: number): Run[] {
  const { contrast, sharpness } = frames;
  const found = runsOf((index) => sharpness[index]! < blurredStep && contrast[index]! >= flatContrast && !isText(frames, index), least.blurred);
  return lengths(found) > maxBlurred * ending ? [] : found;
}

/**
 * Removes runs that move unevenly, such as fireworks: text moves evenly or not at all. If the remaining runs are longer than
 * `most` seconds in total, text is the content of the video and no run is returned.
 */
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

/**
 * Time of the analysed picture before `start`. If only key frames are known, credits may start anywhere after the previous key
 * frame; starting the cue too early is better than showing credits.
 */
function pictureBefore(times: Float64Array, start: number): number {
  return times[Math.max(0, countBelow(times, start - 1e-6) - 1)] ?? start;
}

/** Whether the layout at `time` shows colour bars: vertical stripes of many greys, each even over the upper two thirds. */
function isBars({ layouts }: FrameTrack, time: number): boolean {
  const row = Math.floor(time / layoutStep + 1e-6) * layoutLength;
  const columns = Array.from({ length: 8 }, (_, column) => [0, 1, 2, 3].map((line) => layouts[row + line * 8 + column] ?? 0));
  if (columns.some((values) => Math.max(...values) - Math.min(...values) > 6)) return false;
  const greys = columns.map((values) => values[0]!).sort((a, b) => a - b);
  const steps = greys.filter((grey, index) => index === 0 || grey - greys[index - 1]! > 5).length;
  return steps >= 5 && greys[7]! - greys[0]! > 60;
}

/** Keeps the runs of still pictures without any sound. If most of the video is still, as with slides, no run is returned. */
function stillRuns({ sound }: Analysis, found: readonly Run[], ending: number): Run[] {
  if (lengths(found) > maxStatic * ending) return [];
  if (sound === null) return [...found];
  return found.filter(({ start, end }) => {
    const levels = sound.loudness.subarray(Math.floor(start / soundStep), Math.ceil(end / soundStep));
    return levels.every((level) => level < -50);
  });
}

/** Extends each cue over a gap of less than 0.8 s to the next cue, because such a gap is a fade. */
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

/** Runs of consecutive pictures for which `holds` is true. Each run ends at the first picture for which `holds` is false. */
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
