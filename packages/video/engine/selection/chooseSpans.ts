import { lengthOf } from './range.ts';
import { Chosen, spansWithin, type Field, type Span } from './field.ts';

/** Value that a segment has to bring beyond its time, so that the preview is not cut to shreds; seconds of full score. */
const segmentCost = 0.1;
/** Segments of one shot keep this distance, seconds: otherwise the cut between them is a jump. */
const jumpDistance = 1;
/** Steps of the search for the price of a second. */
const priceSteps = 9;
/** Most candidates that are weighed at once; more are thinned evenly. */
const mostCandidates = 60_000;

/**
 * Chooses spans by their value: submodular greedy with lazy evaluation (a span's value only falls as others are chosen) at
 * a price per second, which is found by bisection so that the spans fill the budget.
 *
 * @param fixed spans that are in whatever they are worth
 * @param budget seconds for the spans without the fixed ones
 */
export function chooseSpans(field: Field, fixed: readonly Span[], budget: number): Span[] {
  const candidates = listCandidates(field);
  let low = -1;
  let high = 1;
  let best: Span[] = [];
  for (let step = 0; step < priceSteps; step++) {
    const price = step === 0 ? 0.2 : (low + high) / 2;
    const chosen = chooseAt(field, candidates, fixed, budget, price);
    const length = lengthOf(chosen);
    if (Math.abs(length - budget) < Math.abs(lengthOf(best) - budget) - 1e-9) best = chosen;
    if (length > budget) low = price;
    else high = price;
    if (Math.abs(length - budget) < 0.05 * budget) break;
  }
  return best;
}

function listCandidates(field: Field): Span[] {
  const all = [...spansWithin(field, { start: 0, end: Number.POSITIVE_INFINITY })];
  if (all.length <= mostCandidates) return all;
  const stride = all.length / mostCandidates;
  return Array.from({ length: mostCandidates }, (_, index) => all[Math.floor(index * stride)]!);
}

function chooseAt(field: Field, candidates: readonly Span[], fixed: readonly Span[], budget: number, price: number): Span[] {
  const chosen = new Chosen(field);
  for (const span of fixed) chosen.add(span);
  const worth = (span: Span): number => chosen.valueOf(span) - price * (span.end - span.start) - span.cost - segmentCost;
  const gains = Float64Array.from(candidates, worth);
  const queue = Uint32Array.from(candidates.keys()).filter((index) => gains[index]! > 0).sort((a, b) => gains[b]! - gains[a]! || a - b);
  const picked: Span[] = [];
  let total = 0;
  const open = [...queue];
  while (open.length > 0 && total < budget * 1.3 && picked.length + fixed.length < field.settled.mostSegments) {
    const index = bestOf(open, gains, candidates, chosen, worth);
    if (index === null) break;
    picked.push(candidates[index]!);
    chosen.add(candidates[index]!);
    total += candidates[index]!.end - candidates[index]!.start;
  }
  return picked;
}

/** The open candidate of the highest present gain; the list stays ordered by gains that may be out of date. */
function bestOf(open: number[], gains: Float64Array, candidates: readonly Span[], chosen: Chosen, worth: (span: Span) => number): number | null {
  let best: number | null = null;
  let bestGain = 0;
  let kept = 0;
  for (let place = 0; place < open.length; place++) {
    const index = open[place]!;
    if (gains[index]! <= bestGain) {
      open[kept++] = index;
      continue;
    }
    const span = candidates[index]!;
    if (!chosen.isFree(span, jumpDistance)) continue;
    const gain = worth(span);
    gains[index] = gain;
    if (gain <= 0) continue;
    open[kept++] = index;
    if (gain > bestGain) {
      bestGain = gain;
      best = index;
    }
  }
  open.length = kept;
  return best;
}
