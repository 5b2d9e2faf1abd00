import type { Guardrail } from './experiment.schema.ts';
import type { ExperimentResults } from './experimentResults.schema.ts';
import type { Experiment } from './experimentStore.ts';
import type { ArmCounts } from './outcomeStore.ts';
import { comparePreferences } from './statistics/comparePreferences.ts';
import { compareRates, estimateRate, type ArmCount, type Comparison } from './statistics/compareRates.ts';
import { testSampleRatio } from './statistics/sampleRatio.ts';
import { neededPreferences, neededUsers } from './statistics/sampleSize.ts';
import { decide, judgeGuardrail } from './verdict.ts';

/** Number of outcomes from which the rate is known well enough for a plan. */
const plannedOutcomes = 20;

interface Counts {
  a: ArmCounts;
  b: ArmCounts;
}

/** The results of an experiment from its counts. */
export function resultsOf(experiment: Experiment, counts: Counts): ExperimentResults {
  const { definition, id, startedAt, countedUntil } = experiment;
  const { mode, share, minimum_effect: minimumEffect } = definition;
  const outcome = mode === 'split' ? { a: outcomeOf(counts.a), b: outcomeOf(counts.b) } : sharedOutcomes(counts);
  const comparison = mode === 'split'
    ? compareRates(outcome.a, outcome.b, minimumEffect)
    : comparePreferences({ users: outcome.a.users, a: outcome.a.conversions, b: outcome.b.conversions }, minimumEffect);
  const users = { reached: mode === 'split' ? outcome.a.users + outcome.b.users : outcome.a.users, needed: planOf(experiment, outcome) };
  const guardrails = definition.guardrails.map((guardrail, at) => guardrailOf(guardrail, at + 1, counts, minimumEffect));
  const rates = { a: outcome.a.conversions / outcome.a.users, b: outcome.b.conversions / outcome.b.users };
  return {
    experiment_id: id, mode, started_at: startedAt.toISOString(), counted_until: countedUntil?.toISOString() ?? null,
    arms: { a: armOf(outcome.a, minimumEffect), b: armOf(outcome.b, minimumEffect) },
    ...publicComparison(comparison), users, guardrails,
    verdict: decide({ comparison, rates, ...users, minimumEffect, mode, share }),
    warnings: [...ratioWarning(experiment, outcome), ...guardrails.filter(({ status }) => status === 'broken').map(guardrailWarning)],
  };
}

function outcomeOf({ users, byMetric }: ArmCounts): ArmCount {
  return { users, conversions: byMetric.get(0) ?? 0 };
}

/** In the mode interleaved, the users of both arms; at least those with an outcome, whose answer is stored on its own. */
function sharedOutcomes({ a, b }: Counts): { a: ArmCount; b: ArmCount } {
  const [ofA, ofB] = [outcomeOf(a), outcomeOf(b)];
  const users = Math.max(ofA.users, ofA.conversions + ofB.conversions);
  return { a: { ...ofA, users }, b: { ...ofB, users } };
}

function armOf(count: ArmCount, minimumEffect: number): ExperimentResults['arms']['a'] {
  return { ...count, rate: estimateRate(count, minimumEffect) };
}

function publicComparison(comparison: Comparison | null): Pick<ExperimentResults, 'difference' | 'ratio'> {
  if (comparison === null) return { difference: null, ratio: null };
  const { difference, ratio } = comparison;
  return { difference, ratio: { ...ratio, high: Number.isFinite(ratio.high) ? ratio.high : null } };
}

/** Number of users that the experiment needs at the rate so far; null before enough outcomes. */
function planOf({ definition: { mode, share, minimum_effect: minimumEffect } }: Experiment, { a, b }: { a: ArmCount; b: ArmCount }): number | null {
  const conversions = a.conversions + b.conversions;
  if (conversions < plannedOutcomes) return null;
  if (mode === 'interleaved') return neededPreferences({ outcomeRate: Math.min(1, conversions / a.users), minimumEffect });
  if (share === 0 || share === 1) return null;
  return neededUsers({ baseRate: conversions / (a.users + b.users), share, minimumEffect });
}

function guardrailOf(guardrail: Guardrail, metric: number, { a, b }: Counts, minimumEffect: number): ExperimentResults['guardrails'][number] {
  const affected = (arm: ArmCounts): number => (guardrail.metric === 'empty_lists' ? arm.empty : (arm.byMetric.get(metric) ?? 0));
  const comparison = compareRates({ users: a.users, conversions: affected(a) }, { users: b.users, conversions: affected(b) }, minimumEffect);
  return {
    ...guardrail, a: { users: a.users, affected: affected(a) }, b: { users: b.users, affected: affected(b) }, ...publicComparison(comparison),
    status: judgeGuardrail(guardrail, comparison),
  };
}

function guardrailWarning({ metric, types, a, b }: ExperimentResults['guardrails'][number]): ExperimentResults['warnings'][number] {
  const what = metric === 'empty_lists' ? 'Users of arm b get empty lists more often' : `Users of arm b have interactions of ${types.map((type) => JSON.stringify(type)).join(', ')} less often`;
  return { code: 'guardrail-broken', detail: `${what}: ${b.affected} of ${b.users} users, and ${a.affected} of ${a.users} in arm a.` };
}

function ratioWarning({ definition: { mode, share } }: Experiment, { a, b }: { a: ArmCount; b: ArmCount }): ExperimentResults['warnings'] {
  if (mode === 'interleaved' || share === 0 || share === 1) return [];
  const { chiSquare, isMismatch } = testSampleRatio(a.users, b.users, share);
  if (!isMismatch) return [];
  return [{
    code: 'sample-ratio-mismatch',
    detail: `Arm b has ${b.users} of ${a.users + b.users} users, which does not fit the share of ${share} (chi-square ${chiSquare.toFixed(1)}, p below 0.001). Users are lost in one arm, for example because its model fails or is slow, so do not trust the verdict before the cause is found.`,
  }];
}
