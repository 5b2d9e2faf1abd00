import { SelectedSpans, freeUntil, isWithinSentence, spansBetween, type Field, type Span } from './field.ts';
import { countBelow } from '../timeline/rankValues.ts';

/** Smallest quantum of length in the knapsack table, seconds. The exact sum of lengths is kept with each table entry. */
const finest = 0.05;
/** Maximum number of quanta in a budget; a longer budget uses a larger quantum. */
const maxSteps = 3000;
/** Penalty per second of deviation from the requested length, in seconds of full score. */
const deviationCost = 0.3;
/** Maximum number of segments whose ends may move. If there are more, the most valuable segments keep their length. */
const maxVaried = 24;
/** Maximum number of spans that keep their length because a variant would repeat a scene. */
const maxFrozen = 6;
/** Maximum distance that an end may move, seconds. */
const reach = 10;

interface Variant {
  /** null if the span is left out. */
  span: Span | null;
  value: number;
}

/**
 * Moves the ends of the chosen spans to nearby boundaries so that the total length meets the budget and the total value is
 * highest: a multiple-choice knapsack solved by dynamic programming, exact up to the quantum.
 *
 * @param fixed spans that the preview always contains; they do not count towards the budget
 * @param budget target length of `spans`, seconds
 * @param tolerance maximum deviation from the budget, seconds
 * @param whole whether ends stay outside sentences and spans may be left out instead
 * @returns the fitted spans in chronological order; null if no combination is within `tolerance` of the budget
 */
export function fitBudget(field: Field, spans: readonly Span[], fixed: readonly Span[], budget: number, tolerance: number, whole = false): Span[] | null {
  const ordered = [...spans].sort((a, b) => a.start - b.start);
  const chosen = new SelectedSpans(field, [...fixed, ...ordered]);
  const varied = new Set([...ordered].sort((a, b) => chosen.valueOf(a) - chosen.valueOf(b) || a.start - b.start).slice(0, maxVaried));
  for (let round = 0; round <= maxFrozen; round++) {
    const kept = ordered.filter((span) => !varied.has(span));
    const rest = budget - kept.reduce((sum, span) => sum + span.end - span.start, 0);
    const quantum = Math.max(finest, rest / maxSteps);
    const moving = ordered.filter((span) => varied.has(span));
    const picked = solve(moving.map((span) => listVariants(field, span, [...fixed, ...ordered], quantum, whole)), rest, tolerance, quantum);
    if (picked === null) return null;
    const fitted = [...kept, ...picked.filter((span) => span !== null)].sort((a, b) => a.start - b.start);
    // Each variant is checked against the other spans as chosen, so two moved spans may show the same scene.
    const again = picked.findIndex((span) => span !== null && new SelectedSpans(field, [...fixed, ...fitted.filter((other) => other !== span)]).showsAgain(span));
    if (again < 0) return fitted;
    varied.delete(moving[again]!);
  }
  return null;
}

/** The most valuable variant of one chosen span for each length. Variants reach at most half-way to the neighbouring spans. */
function listVariants(field: Field, span: Span, all: readonly Span[], quantum: number, whole: boolean): Variant[] {
  const length = span.end - span.start;
  let from = span.start - reach;
  let to = Math.min(span.end + reach, freeUntil(field.forbidden, span.end - 1e-6));
  const others = new SelectedSpans(field, all.filter((other) => other !== span));
  for (const other of others.spans) {
    if (other.end <= span.start + 1e-9) from = Math.max(from, (other.end + span.start) / 2);
    else to = Math.min(to, (span.end + other.start) / 2);
  }
  const best = new Map<number, Variant>();
  for (const variant of spansBetween(field, { start: from, end: span.end }, { start: Math.max(span.start, span.end - reach), end: to })) {
    // A variant must share at least half of the shorter of the two lengths with the original span.
    const common = Math.min(variant.end, span.end) - Math.max(variant.start, span.start);
    if (common < 0.5 * Math.min(length, variant.end - variant.start)) continue;
    if (others.showsAgain(variant) || (whole && cutsSentence(field, variant))) continue;
    const steps = Math.round((variant.end - variant.start) / quantum);
    const value = others.valueOf(variant) - variant.cost;
    const known = best.get(steps);
    if (known === undefined || value > known.value + 1e-9) best.set(steps, { span: variant, value });
  }
  return whole ? [{ span: null, value: 0 }, ...best.values()] : [...best.values()];
}

/** Whether a span starts or ends within a sentence. */
export function cutsSentence({ timeline: { boundaries } }: Field, { start, end }: Span): boolean {
  return [start, end].some((time) => isWithinSentence(boundaries, countBelow(boundaries.times, time - 1e-6)));
}

function solve(choices: readonly Variant[][], budget: number, tolerance: number, quantum: number): (Span | null)[] | null {
  const width = Math.max(0, Math.ceil((budget + tolerance) / quantum)) + 2;
  let values = new Float64Array(width).fill(Number.NEGATIVE_INFINITY);
  let lengths = new Float64Array(width);
  values[0] = 0;
  const traces: Int32Array[] = [];
  for (const variants of choices) {
    const nextValues = new Float64Array(width).fill(Number.NEGATIVE_INFINITY);
    const nextLengths = new Float64Array(width);
    const trace = new Int32Array(width).fill(-1);
    for (const [index, { span, value }] of variants.entries()) {
      const length = span === null ? 0 : span.end - span.start;
      for (let place = 0; place < width; place++) {
        if (values[place] === Number.NEGATIVE_INFINITY) continue;
        const sum = lengths[place]! + length;
        const target = Math.round(sum / quantum);
        if (target >= width || values[place]! + value <= nextValues[target]!) continue;
        nextValues[target] = values[place]! + value;
        nextLengths[target] = sum;
        trace[target] = index * width + place;
      }
    }
    traces.push(trace);
    values = nextValues;
    lengths = nextLengths;
  }
  let best = -1;
  let bestValue = Number.NEGATIVE_INFINITY;
  for (let place = 0; place < width; place++) {
    const deviation = Math.abs(lengths[place]! - budget);
    if (values[place] === Number.NEGATIVE_INFINITY || deviation > tolerance) continue;
    const value = values[place]! - deviationCost * deviation;
    if (value > bestValue) {
      bestValue = value;
      best = place;
    }
  }
  if (best < 0) return null;
  return traceBack(choices, traces, best, width);
}

function traceBack(choices: readonly Variant[][], traces: readonly Int32Array[], place: number, width: number): (Span | null)[] {
  const spans: (Span | null)[] = [];
  for (let index = choices.length - 1; index >= 0; index--) {
    const step = traces[index]![place]!;
    spans.push(choices[index]![Math.floor(step / width)]!.span);
    place = step % width;
  }
  return spans.toReversed();
}
