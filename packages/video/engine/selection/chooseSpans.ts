import { SelectedSpans, type Field, type Span } from './field.ts';
import { GainQueue } from './gainQueue.ts';
import { lengthOf } from './range.ts';

/** Fixed cost of each segment, in seconds of full score, so that the preview does not consist of many tiny segments. */
const segmentCost = 0.1;
/** Bisection steps for the price of one second. */
const priceSteps = 9;
/**
 * The greedy choice stops once the spans fill 1.3 times the budget: the bisection then already knows that the price is too
 * low.
 */
const excess = 1.3;

export interface Choice {
  candidates: readonly Span[];
  /** Spans that the preview contains regardless of their value. */
  fixed: readonly Span[];
  /** Total length of the spans to choose, without the fixed spans, seconds. */
  budget: number;
  /** Minimum distance between spans, seconds. */
  distance: number;
}

/**
 * Chooses spans by value: submodular greedy with lazy evaluation (Minoux 1978), which is valid because the value of a span
 * only falls as other spans are added. Each second of a span has a price; bisection finds the price at which the spans fill
 * the budget.
 */
export function chooseSpans(field: Field, choice: Choice): Span[] {
  let low = -1;
  let high = 1;
  let best: Span[] = [];
  for (let step = 0; step < priceSteps; step++) {
    const price = step === 0 ? 0.2 : (low + high) / 2;
    const chosen = chooseAt(field, choice, price);
    const length = lengthOf(chosen);
    const closer = Math.abs(length - choice.budget) < Math.abs(lengthOf(best) - choice.budget) - 1e-9;
    if (chosen.length > 0 && (best.length === 0 || closer)) best = chosen;
    if (length > choice.budget) low = price;
    else high = price;
    if (Math.abs(length - choice.budget) < 0.05 * choice.budget) break;
  }
  return best;
}

function chooseAt(field: Field, { candidates, fixed, budget, distance }: Choice, price: number): Span[] {
  const chosen = new SelectedSpans(field, fixed);
  const worth = (span: Span): number => chosen.valueOf(span) - price * (span.end - span.start) - span.cost - segmentCost;
  const { seed } = field.settled;
  const queue = new GainQueue(Float64Array.from(candidates, (span, index) => worth(span) + tieBreak(seed, index)));
  const picked: Span[] = [];
  let total = 0;
  while (total < budget * excess && picked.length + fixed.length < field.settled.maxSegments) {
    const index = queue.take();
    if (index === null) break;
    const span = candidates[index]!;
    if (!chosen.isFree(span, distance) || chosen.showsAgain(span)) continue;
    const gain = worth(span) + tieBreak(seed, index);
    if (gain <= 0) continue;
    if (!queue.leads(gain)) {
      queue.putBack(index, gain);
      continue;
    }
    picked.push(span);
    chosen.add(span);
    total += span.end - span.start;
  }
  return picked;
}

/** Offset below 1e-6 that decides between candidates of equal gain; depends only on the seed and the candidate's index. */
function tieBreak(seed: number, index: number): number {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 13)) >>> 0) * (1e-6 / 2 ** 32);
}
