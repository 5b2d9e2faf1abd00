import type { Analysis, Warning } from '../analysis/analysis.ts';
import { cutTimes } from '../media/heldPictures.ts';
import { countBelow } from '../timeline/rankValues.ts';
import { boundaryGrade } from '../analysis/timeline.ts';
import { chooseSpans, type Choice } from './chooseSpans.ts';
import { forbid, type Field, type Span } from './field.ts';
import { cutsSentence, fitBudget } from './fitBudget.ts';
import { listCandidates } from './listCandidates.ts';
import { formatWithin } from './formatTime.ts';
import { lengthOf, previewLength, type Range } from './range.ts';
import { budgetTolerance, lengthName, type SettledOptions } from './settleOptions.ts';

/**
 * Maximum deviation from the requested length that the fit accepts, seconds. The rest of `budgetTolerance` is left for the
 * renderer, which rounds segments to whole frames.
 */
const aim = 0.4;
/** Minimum distance of segments, seconds: a shorter gap within one shot would be visible as a jump cut. */
const jumpDistance = 1;
/** Maximum number of budget corrections for crossfades that are shorter than the requested crossfade. */
const maxCorrections = 4;
/** Attempts, in order, until the length fits: the factor on the budget, and the minimum distance of segments in seconds. */
const attempts: readonly { share: number; distance: number }[] = [
  { share: 1, distance: jumpDistance }, { share: 1.1, distance: jumpDistance }, { share: 0.9, distance: jumpDistance },
  { share: 1, distance: 0 }, { share: 1.15, distance: 0 }, { share: 0.85, distance: 0 }, { share: 1.3, distance: 0 }, { share: 0.6, distance: 0 },
];
/**
 * Budget of a choice from which spans may be left out, as a share of the budget. With 1.1 to 1.3, the talks of `fillWhole` show 162
 * slides, with 1 161, with 1.5 160.
 */
const surplus = 1.2;

/**
 * Plans the spans of the preview in chronological order so that they fill the requested length, as far as the video and the options
 * allow. Adds a warning to `warnings` if this takes repeated scenes or cuts in speech.
 */
export function planSpans(field: Field, analysis: Analysis, ending: number, warnings: Warning[]): Span[] {
  const { settled } = field;
  const fixed = includedSpans(settled, analysis, ending);
  const inner: Field = { ...field, forbidden: forbid(field.forbidden, fixed) };
  const budgetFor = (count: number): number => settled.target - lengthOf(fixed) + settled.crossfade * Math.max(0, fixed.length + count - 1);
  if (fixed.length > 0 && (budgetFor(1) < settled.minSegmentSeconds || fixed.length >= settled.maxSegments)) return fixed;
  const plan = { fixed, budgetFor };
  const single = fillWithin(inner, plan);
  if (single.fits || inner.repeats === null) return finish(single, field, fixed, ending, warnings);
  const repeated = fillWithin({ ...inner, repeats: null }, plan);
  if (lengthOf(repeated.spans) - lengthOf(single.spans) < budgetTolerance) return finish(single, field, fixed, ending, warnings);
  warnings.push({
    code: 'repeated-scenes',
    detail: `Scenes that look and sound different fill ${lengthOf([...fixed, ...single.spans]).toFixed(1)} s of ${lengthName(settled)}, so the preview shows some scenes again. Shorten duration to avoid repetitions.`,
  });
  return finish(repeated, field, fixed, ending, warnings);
}

/** Fills the budget without segments that start or end near cuts; with them only if the length needs them. */
function fillWithin(inner: Field, plan: Plan): Filled {
  const clean = fillBudget(inner, plan);
  if (clean.fits) return clean;
  const near = fillBudget({ ...inner, nearCuts: true }, plan);
  return near.fits || lengthOf(near.spans) > lengthOf(clean.spans) + budgetTolerance ? near : clean;
}

interface Plan {
  fixed: readonly Span[];
  /** Length that a number of spans must have in total, seconds. */
  budgetFor(count: number): number;
}

interface Filled {
  spans: Span[];
  /** Whether the spans have the requested length. */
  fits: boolean;
}

function finish({ spans, fits }: Filled, field: Field, fixed: readonly Span[], ending: number, warnings: Warning[]): Span[] {
  const all = joined([...fixed, ...spans], field);
  if (fits && field.settled.keepSpeech) warnOfCutSpeech(spans, field, ending, warnings);
  return all;
}

/** Chooses and fits spans with different budgets and distances until they have the requested length. */
function fillBudget(inner: Field, { fixed, budgetFor }: Plan): Filled {
  const { settled } = inner;
  const candidates = listCandidates(inner);
  const shortfall = (spans: readonly Span[]): number => settled.target - previewLength(joined([...fixed, ...spans], inner), settled.crossfade);
  let best: Span[] = [];
  let bestMiss = Number.POSITIVE_INFINITY;
  let expected = Math.max(1, Math.round(settled.target / 4));
  for (const { share, distance } of attempts) {
    const chosen = chooseSpans(inner, { candidates, fixed, budget: budgetFor(expected) * share, distance });
    if (chosen.length === 0) break;
    expected = chosen.length;
    const budget = budgetFor(chosen.length);
    const fitted = fitBudget(inner, chosen, fixed, budget, aim);
    if (fitted !== null) {
      const whole = fitted.some((span) => cutsSentence(inner, span)) ? fillWhole(inner, { candidates, fixed, budget, distance }, shortfall) : null;
      return { spans: whole ?? refit(fitted, budget, shortfall, (corrected) => fitBudget(inner, chosen, fixed, corrected, aim)), fits: true };
    }
    const rest = shortfall(chosen);
    const miss = Math.abs(rest);
    if (miss < bestMiss && rest >= -budgetTolerance) {
      best = chosen;
      bestMiss = miss;
    }
  }
  return { spans: best, fits: false };
}

/**
 * Fits spans without ends in sentences, and leaves out what is then too much; null if nothing fits or speech need not be whole. In 20
 * generated talks (tuning seeds 1 to 4), previews of 30 s then cut no sentence instead of four, and show 162 instead of 163 slides.
 */
function fillWhole(inner: Field, choice: Choice, shortfall: (spans: readonly Span[]) => number): Span[] | null {
  if (!inner.settled.keepSpeech) return null;
  const { fixed, budget } = choice;
  const chosen = chooseSpans(inner, { ...choice, budget: budget * surplus });
  const fit = (corrected: number): Span[] | null => fitBudget(inner, chosen, fixed, corrected, aim, true);
  const fitted = fit(budget);
  return fitted === null ? null : refit(fitted, budget, shortfall, fit);
}

/**
 * Corrects the budget for crossfades. The budget assumes a full crossfade between all segments, but touching segments have no
 * crossfade and short segments a shorter one. Each round adds the missing length to the budget, as long as the result gets
 * closer to the requested length.
 */
function refit(fitted: Span[], budget: number, shortfall: (spans: readonly Span[]) => number, fit: (budget: number) => Span[] | null): Span[] {
  let best = fitted;
  let corrected = budget;
  for (let round = 0; round < maxCorrections && Math.abs(shortfall(best)) > budgetTolerance; round++) {
    corrected += shortfall(best);
    const next = fit(corrected);
    if (next === null || Math.abs(shortfall(next)) >= Math.abs(shortfall(best))) break;
    best = next;
  }
  return best;
}

/**
 * Warns about segment ends within speech. They occur if someone speaks without a pause for longer than the longest segment.
 */
function warnOfCutSpeech(spans: readonly Span[], { timeline: { boundaries } }: Field, ending: number, warnings: Warning[]): void {
  const cut = spans.flatMap(({ start, end }) => [start, end])
    .filter((time) => (boundaries.grades[countBelow(boundaries.times, time - 1e-6)] ?? 0) >= boundaryGrade.shotInSpeech);
  if (cut.length === 0) return;
  const places = cut.slice(0, 5).map((time) => formatWithin(time, ending)).join(', ');
  warnings.push({ code: 'speech-cut', detail: `Sound that resembles speech has no pause near ${places}${cut.length > 5 ? ' and other places' : ''}, so the preview may cut speech there. Raise max_segment_duration to keep speech whole.` });
}

/** The ranges that the caller includes, widened to whole frames, or to tenths of a second of held pictures. */
function includedSpans(settled: SettledOptions, analysis: Analysis, ending: number): Span[] {
  const frames = cutTimes(analysis.frameTimes, ending);
  return settled.includes.flatMap(({ start, end }: Range): Span[] => {
    const first = Math.max(0, countBelow(frames, start + 1e-6) - 1);
    const last = countBelow(frames, end - 1e-6);
    const span = { start: frames[first] ?? 0, end: frames[last] ?? ending, cost: 0 };
    return span.end > span.start && start < ending ? [span] : [];
  });
}

/**
 * Sorts spans and merges spans that touch within one shot, unless the merged span would exceed the caller's maximum length.
 */
function joined(spans: readonly Span[], { settled, timeline }: Field): Span[] {
  const { times, grades } = timeline.boundaries;
  const result: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    const touches = last !== undefined && Math.abs(last.end - span.start) < 1e-6;
    const place = touches ? countBelow(times, span.start - 1e-6) : -1;
    const inside = touches && (grades[place] === 1 || grades[place] === 2 || grades[place] === 4);
    if (inside && (!settled.maxSegmentGiven || span.end - last.start <= settled.maxSegmentSeconds)) last.end = span.end;
    else result.push({ ...span });
  }
  return result;
}
