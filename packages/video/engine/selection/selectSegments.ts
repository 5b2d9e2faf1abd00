import type { Analysis, Warning } from '../analysis/analysis.ts';
import { cutTimes } from '../media/heldPictures.ts';
import { mediaErrors } from '../mediaErrors.ts';
import type { SummaryOptions } from '../options/options.schema.ts';
import { buildTimeline } from '../timeline/buildTimeline.ts';
import { snapTime } from '../timeline/listBoundaries.ts';
import { timelineStep, type CueKind, type TechnicalCue, type Timeline } from '../analysis/timeline.ts';
import { describeSegments } from './describeSegments.ts';
import { forbid, type Field } from './field.ts';
import { rateCues, textTerm } from './keySentences.ts';
import { listRejected } from './listRejected.ts';
import { planSpans } from './planSpans.ts';
import { matchQuery, queryTerm } from './queryMatches.ts';
import { invertRanges, lengthOf, previewLength, type Range } from './range.ts';
import { Repeats } from './repeats.ts';
import { importanceCurve, integrate, weighTerms } from './scoreTerms.ts';
import type { Selection } from './selection.ts';
import { budgetTolerance, lengthName, settleOptions, type SettledOptions } from './settleOptions.ts';
import type { Cue } from './subtitles.ts';
import { warnOfUnusedOptions } from './unusedOptions.ts';
import { warnOfCrossfades } from './warnOfCrossfades.ts';
import { warnOfShortfall } from './warnOfShortfall.ts';

/**
 * Exponent of the importance in the selection: one second of high importance counts more than two seconds of half that value.
 */
const contrast = 2;
/** Order in which kinds of technical cues become allowed again if too little material is left. */
const leniency: readonly CueKind[] = ['blurred', 'dim', 'static', 'title', 'slate', 'credits', 'bars', 'white', 'black', 'damaged'];

const timelines = new WeakMap<Analysis, Timeline>();

/** Returns the timeline of an analysis. A missing timeline is computed once per analysis object. */
export function timelineOf(analysis: Analysis): Timeline {
  const known = analysis.timeline ?? timelines.get(analysis);
  if (known !== undefined) return known;
  const built = buildTimeline(analysis);
  timelines.set(analysis, built);
  return built;
}

/**
 * Selects the segments of a preview. The function is pure and deterministic: the same analysis, options and subtitles always
 * give the same segments. A segment starts at the presentation time of a frame, and ends at the presentation time of a frame
 * or at the end of the video; within a picture that is shown for more than a second, it starts or ends at any time. Call `checkOptions` first: `selectSegments` does not report contradictory options, but follows
 * them as far as possible.
 *
 * @example
 * const { segments } = selectSegments(analysis, { duration: 30, diversity: 0.8 });
 *
 * @param cues subtitles; used for titles, key sentences, the query, and the `text` term of the importance
 * @param causes whether the warning of a preview that is too short names the options that cause it, which takes one selection each
 * @throws Problem `nothing-left` if the options leave no room for a segment of the minimum length
 */
export function selectSegments(analysis: Analysis, options: SummaryOptions, cues: readonly Cue[] = [], { causes = true }: { causes?: boolean } = {}): Selection {
  const timeline = timelineOf(analysis);
  const duration = endOf(analysis);
  const rated = rateCues(cues);
  const matches = options.query === undefined ? [] : matchQuery(cues, options.query);
  const terms = weighTerms(timeline, { text: textTerm(rated, timeline.cells), query: queryTerm(matches, timeline.cells) }, settleOptions(options, duration).weights);
  const importance = importanceCurve(terms);
  const contrasted = integrate(importance.map((value) => value ** contrast));
  const { settled, technical, field, spans, whole, repeats, warnings } = planPreview(analysis, options, contrasted);
  if (options.query !== undefined && matches.length === 0) warnings.unshift(unmatched(options.query, cues));
  if (spans.length === 0) throw nothingLeft(settled, duration);
  const length = previewLength(spans, settled.crossfade);
  const full = length >= settled.target - budgetTolerance;
  if (whole) warnOfShortVideo(spans, settled, duration, warnings);
  else if (!full) {
    warnings.push(warnOfShortfall(length, options, settled, !causes ? null : (other) => {
      const changed = planPreview(analysis, other, contrasted);
      return previewLength(changed.spans, changed.settled.crossfade);
    }));
  }
  const segments = describeSegments(spans, { timeline, settled, terms, cues: rated, matches, whole, repeats });
  const ordered = settled.order === 'importance' ? [...segments].sort((a, b) => b.score - a.score || a.start - b.start) : segments;
  warnings.push(...warnOfCrossfades(ordered, settled.crossfade), ...warnOfUnusedOptions(options, analysis.info, duration));
  return {
    segments: ordered,
    rejected: whole ? [] : listRejected({ ...field, terms, curve: importance, segments, full, keyFramesOnly: analysis.tier === 'fast', cues: technical, duration }),
    curve: { step: timelineStep, importance, motion: timeline.motion, sound: timeline.sound, speech: timeline.speech, novelty: timeline.novelty },
    warnings,
  };
}

interface PlannedPreview {
  settled: SettledOptions;
  technical: TechnicalCue[];
  field: Field;
  spans: readonly Range[];
  /** Whether the spans are all that the caller does not exclude. */
  whole: boolean;
  repeats: Repeats;
  warnings: Warning[];
}

/** @param importance result of `integrate` for the contrasted importance, which depends on none of the options that are read here */
function planPreview(analysis: Analysis, options: SummaryOptions, importance: Float64Array): PlannedPreview {
  const timeline = timelineOf(analysis);
  const duration = endOf(analysis);
  const settled = settleOptions(options, duration);
  const warnings: Warning[] = [];
  const { technical, forbidden } = forbiddenRanges(timeline, settled, duration);
  const kept = settled.target >= duration - budgetTolerance ? keepWhole(analysis, settled, duration) : [];
  const whole = kept.length > 0 && mayBeSegments(kept, settled);
  const repeats = new Repeats(timeline.repeatShots ?? analysis.shots, timeline.repeats);
  const field = { timeline, settled, importance, forbidden, repeats: settled.diversity > 0 && repeats.any ? repeats : null, nearCuts: false };
  const spans = whole ? kept : planSpans(field, analysis, duration, warnings);
  return { settled, technical, field, spans, whole, repeats, warnings };
}

/** End of the video in seconds: its duration, or just after the last frame if the frame is later than the duration. */
function endOf(analysis: Analysis): number {
  return Math.max(analysis.info.duration, (analysis.frameTimes.at(-1) ?? 0) + 1e-3);
}

/**
 * Ranges that the preview must not show: excluded ranges and technical cues (black, bars, credits, …). If these leave less
 * than 1.2 times the requested length, the kinds of cues become allowed one after another, in the order of `leniency`.
 */
function forbiddenRanges(timeline: Timeline, settled: SettledOptions, duration: number): { technical: TechnicalCue[]; forbidden: Range[] } {
  const kinds = new Set<CueKind>(leniency);
  if (!settled.skipCredits) for (const kind of ['title', 'credits', 'slate'] as const) kinds.delete(kind);
  for (const lenient of [null, ...leniency]) {
    if (lenient !== null) kinds.delete(lenient);
    const technical = timeline.cues.filter((cue) => kinds.has(cue.kind));
    const forbidden = forbid(settled.excludes, technical);
    const free = invertRanges(forbidden, duration).filter(({ start, end }) => end - start >= settled.minSegmentSeconds);
    if (lengthOf(free) >= 1.2 * settled.target) return { technical, forbidden };
  }
  return { technical: [], forbidden: forbid(settled.excludes) };
}

/** The whole video except the ranges that the caller excludes, snapped to frames and times within held pictures. */
function keepWhole(analysis: Analysis, settled: SettledOptions, duration: number): Range[] {
  const times = cutTimes(analysis.frameTimes, duration);
  const first = times[0] ?? 0;
  const snap = (time: number): number => Math.max(first, time >= duration ? duration : snapTime(times, time, duration));
  return invertRanges(settled.excludes, duration).map(({ start, end }) => ({ start: snap(start), end: snap(end) })).filter(({ start, end }) => end > start);
}

/** Whether the spans respect the caller's limits on the number and length of segments. */
function mayBeSegments(spans: readonly Range[], settled: SettledOptions): boolean {
  return spans.length <= settled.maxSegments && (!settled.maxSegmentGiven || spans.every(({ start, end }) => end - start <= settled.maxSegmentSeconds + 1e-6));
}

function warnOfShortVideo(kept: readonly Range[], settled: SettledOptions, duration: number, warnings: Warning[]): void {
  const length = lengthOf(kept);
  const asked = `less than ${lengthName(settled)} of preview`;
  if (settled.excludes.length === 0 && settled.target > duration) {
    warnings.push({ code: 'shorter-than-duration', detail: `The video has a length of ${duration.toFixed(1)} s, ${asked}, so the preview shows the whole video.` });
  } else if (length < settled.target - budgetTolerance) {
    warnings.push({
      code: 'shorter-than-duration',
      detail: `The options leave ${length.toFixed(1)} s of the ${duration.toFixed(1)} s of the video, ${asked}, so the preview shows all of this part.`,
    });
  }
}

function unmatched(query: string, cues: readonly Cue[]): Warning {
  const cause = cues.length === 0 ? 'the video has no subtitles to search. Set subtitles_url (vouch summarize: --subtitles)' : `none of the ${cues.length} subtitles contains a word of the query. Use words that are spoken`;
  return { code: 'query-without-match', detail: `The query “${query}” had no influence on the preview: ${cause}.` };
}

function nothingLeft(settled: SettledOptions, duration: number): Error {
  return mediaErrors.problem(
    'nothing-left',
    `The options leave no part of the video (${duration.toFixed(1)} s) that is long enough for a segment of ${settled.minSegmentSeconds.toFixed(1)} s. Exclude less, or lower min_segment_duration.`,
  );
}
