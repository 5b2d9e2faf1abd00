import { Problem } from '@vouch/platform/errors/problem';
import type { Analysis } from '../analysis/analysis.ts';
import type { MediaSource } from '../media/mediaSource.ts';
import type { SummaryOptions } from '../options/options.schema.ts';
import { decodeWindows } from '../reading/decodeWindows.ts';
import { selectSegments } from '../selection/selectSegments.ts';
import type { Selection } from '../selection/selection.ts';
import type { Cue } from '../selection/subtitles.ts';
import { refineTransitions, type TimeWindow } from '../shots/refineTransitions.ts';

/**
 * How far a window reaches before and after the start and the end of a segment, seconds. A segment must not start within 0.5 s
 * before a cut or end within 1 s after a cut; the rest is the neighbourhood that the detector of cuts needs.
 */
const reach = { start: { before: 0.5, after: 1.2 }, end: { before: 1.3, after: 0.5 } } as const;
/** Maximum number of selections; each one moves the segments away from the cuts that the previous one met. */
const maxRounds = 8;
/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-4;

/**
 * Selects segments, and moves boundaries away from cuts that the analysis missed because its tier decodes only some of the
 * frames: decodes all frames around each boundary, adds the cuts that they show, and selects again, until all boundaries are
 * checked. This takes about 2 s of video per boundary, whatever the length of the video. The analysis is not changed, so the
 * same analysis and options always give the same segments.
 */
export async function selectExactly(source: Omit<MediaSource, 'info'>, analysis: Analysis, options: SummaryOptions, cues: readonly Cue[]): Promise<Selection> {
  const first = selectSegments(analysis, options, cues);
  if (analysis.frames.times.length >= analysis.frameTimes.length) return first;
  try {
    return await moveBoundaries({ ...source, info: analysis.info }, analysis, first, (refined) => selectSegments(refined, options, cues));
  } catch (error) {
    // A damaged part of the video need not end the run: the boundaries stay where the analysis puts them.
    if (source.signal.aborted || !(error instanceof Problem) || error.code === 'media-limit') throw error;
    return first;
  }
}

async function moveBoundaries(source: MediaSource, analysis: Analysis, first: Selection, select: (refined: Analysis) => Selection): Promise<Selection> {
  const packets = await source.backend.packets(source.path, source.info, source.signal);
  const checked: TimeWindow[] = [];
  let selection = first;
  let refined = analysis;
  for (let round = 0; round < maxRounds; round++) {
    const windows = windowsAround(selection, analysis).filter((window) => !checked.some((known) => known.from <= window.from + sameFrame && window.to <= known.to + sameFrame));
    if (windows.length === 0) break;
    const merged = mergeWindows(windows);
    checked.push(...merged);
    const next = refineTransitions({ transitions: [...refined.transitions], shots: [...refined.shots], places: [] }, await decodeWindows(source, merged, packets), source.info.duration);
    const known = new Set(refined.transitions.map(({ kind, start, end }) => `${kind} ${start} ${end}`));
    if (next.transitions.length === known.size && next.transitions.every(({ kind, start, end }) => known.has(`${kind} ${start} ${end}`))) break;
    const { timeline: _, ...rest } = refined;
    refined = { ...rest, transitions: next.transitions, shots: next.shots };
    selection = select(refined);
  }
  return selection;
}

/** Windows around the starts and ends of the segments, without the start and the end of the video. */
function windowsAround({ segments }: Selection, { frameTimes, info }: Analysis): TimeWindow[] {
  const begin = frameTimes[0] ?? 0;
  return segments.flatMap(({ start, end }) => [
    ...(start > begin + sameFrame ? [around(start, reach.start)] : []),
    ...(end < info.duration - sameFrame ? [around(end, reach.end)] : []),
  ]);
}

function around(time: number, { before, after }: { before: number; after: number }): TimeWindow {
  return { from: Math.max(0, time - before), to: time + after };
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
