import { Problem } from '@vouch/platform/errors/problem';
import type { Analysis } from '../analysis/analysis.ts';
import type { MediaSource } from '../media/mediaSource.ts';
import type { SummaryOptions } from '../options/options.schema.ts';
import { WindowReader } from '../reading/windowReader.ts';
import { selectSegments, timelineOf } from '../selection/selectSegments.ts';
import type { Selection } from '../selection/selection.ts';
import type { Cue } from '../selection/subtitles.ts';
import { firstFrame } from '../media/firstFrame.ts';
import type { PacketIndex } from '../media/mediaInfo.ts';
import type { FrameTrack } from '../pictures/frameTrack.ts';
import { isFlat } from '../timeline/fadedPictures.ts';
import { SharedParts } from '../timeline/findSharedParts.ts';
import { replaceParts } from '../pictures/replaceParts.ts';
import { refineTransitions, type ExactWindow, type TimeWindow } from '../shots/refineTransitions.ts';
import { withWholeFades } from '../shots/wholeFades.ts';

/**
 * How far a window reaches before and after the start and the end of a segment, seconds. A segment must not start within 1 s before
 * a jump or a cut, or end within 1 s after one. The rest is the neighbourhood of 0.6 s that the detectors compare with: with less,
 * fast motion at the edge of a window is taken for a cut.
 */
const reach = { start: { before: 0.65, after: 1.65 }, end: { before: 1.65, after: 0.65 } } as const;
/** Maximum number of selections; each one moves the segments away from what the previous one met. Tuning films need up to 7. */
const maxRounds = 24;
/** Maximum distance of a key frame back to which a window is extended, seconds. */
const maxReach = 20;
/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-4;

/** A selection, and what was measured for it. */
export interface ExactSelection {
  selection: Selection;
  /** The frames of the analysis and all frames that were decoded around the boundaries of segments. */
  frames: FrameTrack;
}

/**
 * Selects segments, and moves boundaries away from cuts that the analysis missed because its tier decodes only some of the
 * frames: decodes all frames around each boundary, adds the cuts that they show, and selects again, until all boundaries are
 * checked. This takes the video from the previous key frame to 2 s around each boundary, whatever the length of the video, and decodes
 * no group of pictures more than twice (`WindowReader`). All of these frames also show dim parts, titles and repeated scenes that the
 * analysis missed. Where parts of two segments sound the same and their pictures are not known, 1.5 s of each part are decoded as well.
 * The analysis is not changed, so the same analysis and options always give the same segments.
 */
export async function selectExactly(source: Omit<MediaSource, 'info'>, analysis: Analysis, options: SummaryOptions, cues: readonly Cue[]): Promise<ExactSelection> {
  const first = { selection: selectSegments(analysis, options, cues), frames: analysis.frames };
  if (analysis.frames.times.length >= analysis.frameTimes.length) return first;
  try {
    return await moveBoundaries({ ...source, info: analysis.info }, analysis, first.selection, (refined, causes) => selectSegments(refined, options, cues, { causes }));
  } catch (error) {
    // A damaged part of the video need not end the run: the boundaries stay where the analysis puts them.
    if (source.signal.aborted || !(error instanceof Problem) || error.code === 'media-limit') throw error;
    return first;
  }
}

async function moveBoundaries(source: MediaSource, analysis: Analysis, first: Selection, select: (refined: Analysis, causes: boolean) => Selection): Promise<ExactSelection> {
  const packets = await source.backend.packets(source.path, source.info, source.signal);
  const reader = new WindowReader(source, packets);
  const checked: TimeWindow[] = [];
  const parts = new SharedParts(analysis.sound);
  let selection = first;
  let refined: Analysis = { ...analysis, coarse: { shots: analysis.shots, repeats: timelineOf(analysis).repeats } };
  for (let round = 0; round < maxRounds; round++) {
    const { shared, unseen } = parts.find(refined.denseFrames ?? refined.frames, selection.segments);
    const windows = [...windowsAround(selection, analysis), ...unseen].map((window) => fromKey(window, packets))
      .filter((window) => !checked.some((known) => known.from <= window.from + sameFrame && window.to <= known.to + sameFrame));
    if (windows.length === 0 && shared.length === 0) break;
    const merged = mergeWindows(windows);
    checked.push(...merged);
    refined = refine({ ...refined, shared: [...parts.known] }, merged.length === 0 ? [] : await reader.read(merged));
    selection = select(refined, false);
  }
  const short = selection !== first && selection.warnings.some(({ code }) => code === 'less-than-duration');
  return { selection: short ? select(refined, true) : selection, frames: refined.denseFrames ?? refined.frames };
}

/** The analysis with the transitions and frames that the windows show. */
function refine(analysis: Analysis, windows: readonly ExactWindow[]): Analysis {
  const { timeline: _, ...rest } = analysis;
  const parts = windows.map(({ window, measured: { frames } }) => ({ ...window, frames }));
  const denseFrames = replaceParts(rest.denseFrames ?? rest.frames, parts);
  const refined = refineTransitions({ transitions: [...rest.transitions], shots: [...rest.shots], places: [] }, windows, rest.info.duration);
  const { transitions, shots } = withWholeFades(refined, denseFrames);
  return { ...rest, transitions, shots, denseFrames };
}

/** Windows around the starts and ends of the segments, without the end of the video, and without its start unless it may be a fade. */
function windowsAround({ segments }: Selection, { frames, frameTimes, info }: Analysis): TimeWindow[] {
  const begin = frameTimes[0] ?? 0;
  const fades = frames.times.length > 0 && isFlat(frames, 0);
  return segments.flatMap(({ start, end }) => [
    ...(fades || start > begin + sameFrame ? [around(start, reach.start)] : []),
    ...(end < info.duration - sameFrame ? [around(end, reach.end)] : []),
  ]);
}

function around(time: number, { before, after }: { before: number; after: number }): TimeWindow {
  return { from: Math.max(0, time - before), to: time + after };
}

/** Extends a window back to the previous key frame: the decoder decodes the frames from there in any case. */
function fromKey({ from, to }: TimeWindow, { times, keys }: PacketIndex): TimeWindow {
  let key = firstFrame(times, from + sameFrame) - 1;
  while (key >= 0 && keys[key] !== 1 && times[key]! > from - maxReach) key -= 1;
  return { from: keys[key] === 1 ? times[key]! : from, to };
}

function mergeWindows(windows: readonly TimeWindow[]): TimeWindow[] {
  const merged: TimeWindow[] = [];
  for (const { from, to } of [...windows].sort((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}
