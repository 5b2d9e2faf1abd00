import type { Guardrail } from './experiment.schema.ts';
import type { ExperimentResults } from './experimentResults.schema.ts';
import type { Comparison } from './statistics/compareRates.ts';

type Verdict = ExperimentResults['verdict'];

interface Measured {
  comparison: Comparison | null;
  rates: { a: number; b: number };
  /** Users of both arms, and the number that the plan asks for; null if it is not known yet. */
  reached: number;
  needed: number | null;
  minimumEffect: number;
  mode: 'split' | 'interleaved';
  share: number;
}

/** Decides between the arms. The verdict is valid at any time, because the intervals are. */
export function decide(measured: Measured): Verdict {
  const { comparison, reached, needed, minimumEffect, mode, share } = measured;
  if (mode === 'split' && (share === 0 || share === 1)) return { code: 'running', text: `All users get arm ${share === 0 ? 'a' : 'b'}, so nothing is compared.` };
  if (comparison === null) return { code: 'running', text: 'There are no results yet: each arm needs users, and interactions of the outcome.' };
  // Without an outcome, the ratio can be anything.
  if (measured.rates.a === 0 && measured.rates.b === 0) return { code: 'running', text: `Not decided yet; ${reached} users are counted, and none has an outcome.` };
  const { difference, ratio } = comparison;
  if (difference.low > 0 && ratio.low > 1) return { code: 'better', text: `Arm b is better: ${describe(measured)}.` };
  if (difference.high < 0 && ratio.high < 1) return { code: 'worse', text: `Arm b is worse: ${describe(measured)}.` };
  const effect = percent(minimumEffect);
  if (ratio.low > 1 / (1 + minimumEffect) && ratio.high < 1 + minimumEffect) {
    return { code: 'no_difference', text: `The arms differ by less than ${effect}: ${describe(measured)}.` };
  }
  if (needed !== null && reached >= needed) {
    return { code: 'no_difference', text: `No difference was found within ${reached} users, though ${needed} are enough for a difference of ${effect} in 80 % of the cases: ${describe(measured)}.` };
  }
  const progress = needed === null ? `${reached} users are counted` : `${reached} of about ${needed} users are counted`;
  return { code: 'running', text: `Not decided yet; ${progress}: ${describe(measured)}.` };
}

function describe({ comparison, rates, mode }: Measured): string {
  const { ratio } = comparison as Comparison;
  const shown = mode === 'split'
    ? `${percent(rates.b)} of the users of arm b have an outcome, and ${percent(rates.a)} of the users of arm a`
    : `the first outcome of ${percent(rates.b)} of the users was an item of arm b, and of ${percent(rates.a)} an item of arm a`;
  const value = ratio.value === null ? 'the true ratio' : `the ratio is ${round(ratio.value)}, and the true ratio`;
  const bounds = Number.isFinite(ratio.high) ? `between ${round(ratio.low)} and ${round(ratio.high)}` : `at least ${round(ratio.low)}`;
  return `${shown}; ${value} is ${bounds} with 95 % certainty`;
}

/** Whether a guardrail holds. For interactions, less is worse; for empty lists, more is worse. */
export function judgeGuardrail({ metric, tolerance }: Guardrail, comparison: Comparison | null): 'held' | 'undecided' | 'broken' {
  if (comparison === null) return 'undecided';
  const { difference, ratio } = comparison;
  if (metric === 'interactions') {
    if (difference.high < 0 && ratio.high < 1) return 'broken';
    return ratio.low >= 1 - tolerance ? 'held' : 'undecided';
  }
  if (difference.low > 0 && ratio.low > 1) return 'broken';
  return difference.high <= tolerance ? 'held' : 'undecided';
}

function percent(share: number): string {
  return `${round(share * 100)} %`;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
