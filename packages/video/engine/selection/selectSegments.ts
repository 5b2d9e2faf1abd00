import type { Analysis, Warning } from '../analysis/analysis.ts';
import { mediaErrors } from '../mediaErrors.ts';
import type { SummaryOptions } from '../options/options.schema.ts';
import { buildTimeline } from '../timeline/buildTimeline.ts';
import { snapTime } from '../timeline/listBoundaries.ts';
import { timelineStep, type CueKind, type TechnicalCue, type Timeline } from '../timeline/timeline.ts';
import { chooseSpans } from './chooseSpans.ts';
import { explainSegment } from './explainSegment.ts';
import { forbid, type Field, type Span } from './field.ts';
import { fitBudget } from './fitBudget.ts';
import { listRejected } from './listRejected.ts';
import { invertRanges, lengthOf, overlapOf, type Range } from './range.ts';
import { importanceCurve, integrate, weighTerms } from './scoreTerms.ts';
import type { Segment, Selection } from './selection.ts';
import { budgetTolerance, settleOptions, type SettledOptions } from './settleOptions.ts';
import type { Cue } from './subtitles.ts';

/** Deviation from the wished length that is aimed at, seconds: room for the renderer's rounding to whole frames. */
const aim = 0.4;
/** A second of high importance is worth more than two of half the importance: the choice is made on its square. */
const contrast = 2;
/** Kinds of cues in the order in which they come back where otherwise too little is left. */
const leniency: readonly CueKind[] = ['static', 'title', 'slate', 'credits', 'bars', 'black'];

const timelines = new WeakMap<Analysis, Timeline>();

/** The timeline of an analysis, built once. */
export function timelineOf(analysis: Analysis): Timeline {
  const known = timelines.get(analysis);
  if (known !== undefined) return known;
  const built = buildTimeline(analysis);
  timelines.set(analysis, built);
  return built;
}

/**
 * Chooses the segments of a preview. Pure and deterministic: the same analysis, options and subtitles give the same
 * segments. Segments begin at presentation times of real frames and end at one or at the end of the video.
 *
 * @param cues subtitles, for titles and key sentences
 * @throws Problem `nothing-left` where the options leave no segment of the least length
 */
export function selectSegments(analysis: Analysis, options: SummaryOptions, cues: readonly Cue[] = []): Selection {
  const timeline = timelineOf(analysis);
  const duration = endOf(analysis);
  const settled = settleOptions(options, duration);
  void cues;
  const text = new Float32Array(timeline.cells);
  const terms = weighTerms(timeline, text, settled.weights);
  const importance = importanceCurve(terms);
  const warnings: Warning[] = [];
  const { technical, forbidden } = forbiddenRanges(timeline, settled, duration);
  const whole = settled.target >= duration - 1e-6;
  const spans = whole
    ? keepWhole(analysis, settled, duration, warnings)
    : chooseWithin({ timeline, settled, importance: integrate(importance.map((value) => value ** contrast)), forbidden }, analysis, warnings, duration);
  if (spans.length === 0) throw nothingLeft(settled, duration);
  const segments = describe(spans, { timeline, settled, terms, whole });
  return {
    segments: settled.order === 'importance' ? [...segments].sort((a, b) => b.score - a.score || a.start - b.start) : segments,
    rejected: whole ? [] : listRejected({ timeline, settled, terms, importance, segments, cues: technical, forbidden, duration }),
    curve: { step: timelineStep, importance, motion: timeline.motion, sound: timeline.sound, speech: timeline.speech, novelty: timeline.novelty },
    warnings,
  };
}

/** End of the video: its duration, but never before the last frame's time. */
function endOf(analysis: Analysis): number {
  return Math.max(analysis.info.duration, (analysis.frameTimes.at(-1) ?? 0) + 1e-3);
}

function forbiddenRanges(timeline: Timeline, settled: SettledOptions, duration: number): { technical: TechnicalCue[]; forbidden: Range[] } {
  const kinds = new Set<CueKind>(leniency);
  if (!settled.skipCredits) for (const kind of ['title', 'credits', 'slate'] as const) kinds.delete(kind);
  for (const lenient of [null, ...leniency]) {
    if (lenient !== null) kinds.delete(lenient);
    const technical = timeline.cues.filter((cue) => kinds.has(cue.kind));
    const forbidden = forbid(settled.excludes, technical);
    const free = invertRanges(forbidden, duration).filter(({ start, end }) => end - start >= settled.least);
    if (lengthOf(free) >= Math.min(1.2 * settled.target, duration) || kinds.size === 0) return { technical, forbidden };
  }
  return { technical: [], forbidden: forbid(settled.excludes) };
}

function keepWhole(analysis: Analysis, settled: SettledOptions, duration: number, warnings: Warning[]): Span[] {
  warnings.push({
    code: 'shorter-than-duration',
    detail: `The video has ${duration.toFixed(1)} s, which is not longer than the preview that was asked for (${settled.target.toFixed(1)} s), so all of it is shown.`,
  });
  return invertRanges(settled.excludes, duration)
    .map(({ start, end }) => ({ start: snapTime(analysis.frameTimes, start, duration), end: snapTime(analysis.frameTimes, end, duration), cost: 0 }))
    .filter(({ start, end }) => end > start);
}

function chooseWithin(field: Field, analysis: Analysis, warnings: Warning[], duration: number): Span[] {
  const { settled } = field;
  const fixed = settled.includes.map(({ start, end }): Span => ({
    start: snapTime(analysis.frameTimes, start, duration), end: snapTime(analysis.frameTimes, end, duration), cost: 0,
  })).filter(({ start, end }) => end > start);
  const inner: Field = { ...field, forbidden: forbid(field.forbidden, fixed) };
  const budget = settled.target - lengthOf(fixed);
  if (budget < settled.least - budgetTolerance) return fixed;
  let wish = budget;
  let best: Span[] = [];
  for (let attempt = 0; attempt < 8; attempt++) {
    const chosen = chooseSpans(inner, fixed, wish);
    const fitted = chosen.length === 0 ? null : fitBudget(inner, chosen, fixed, budget, aim);
    if (fitted !== null) return [...fixed, ...fitted].sort((a, b) => a.start - b.start);
    const length = lengthOf(chosen);
    if (length <= budget + aim && length > lengthOf(best)) best = chosen;
    wish *= attempt % 2 === 0 ? 1.12 ** (attempt + 1) : 1 / 1.3 ** attempt;
  }
  warnings.push({
    code: 'less-than-duration',
    detail: `Of the ${settled.target.toFixed(1)} s that were asked for only ${(lengthOf(best) + lengthOf(fixed)).toFixed(1)} s could be filled with segments that the options allow.`,
  });
  return [...fixed, ...best].sort((a, b) => a.start - b.start);
}

interface Description {
  timeline: Timeline;
  settled: SettledOptions;
  terms: ReturnType<typeof weighTerms>;
  whole: boolean;
}

function describe(spans: readonly Span[], { timeline, settled, terms, whole }: Description): Segment[] {
  return spans.map((span): Segment => {
    const place = { start: span.start, end: span.end, title: null, text: null };
    if (whole) return { ...place, score: 1, reasons: [{ kind: 'whole', share: 1 }] };
    const others = spans.filter((other) => other !== span);
    const explained = explainSegment(span, others, { timeline, terms, diversity: settled.diversity, text: null });
    const included = settled.includes.some((range) => overlapOf(range, span) > 0);
    if (!included) return { ...place, ...explained };
    // An included segment is in whatever it is worth: what it is worth is the part that stays without the wish.
    const reasons = explained.reasons.map((reason) => ({ ...reason, share: reason.share * explained.score }));
    return { ...place, score: 1, reasons: [{ kind: 'included' as const, share: 1 - explained.score }, ...reasons].sort((a, b) => b.share - a.share) };
  });
}

function nothingLeft(settled: SettledOptions, duration: number): Error {
  return mediaErrors.problem(
    'nothing-left',
    `Of the ${duration.toFixed(1)} s of the video the options leave nothing in which a segment of at least ${settled.least.toFixed(1)} s fits. Exclude less, or lower min_segment_duration.`,
  );
}
