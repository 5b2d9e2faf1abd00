import { isDeepStrictEqual } from 'node:util';
import { rankingMetrics, type Estimate, type Evaluation } from '../../engine/data/trainedModel.ts';
import { directionOf } from '../../engine/evaluation/directionOf.ts';
import type { DataSummary } from '../arrays/trainingSnapshot.ts';
import type { Comparison } from '../training/comparison.schema.ts';
import type { StoredParameters } from '../training/training.schema.ts';

/** The facts of a training that decide whether its metrics can be compared with those of another training. */
export interface Measured {
  metrics: Evaluation | null;
  parameters: StoredParameters;
  data: DataSummary | null;
}

const verdicts = { above: 'better', below: 'worse', neither: 'no measurable difference' } as const;

/** A comparison without the facts that only the publication knows. */
type MetricsComparison = Omit<Comparison, 'version' | 'with_version' | 'serves'>;

/**
 * Compares the metrics of a new training with those of the version that serves. Both trainings hide the last tenth of every user's interactions in
 * their own data, so their metrics are comparable only if both select their data in the same way. The new version is worse if the 95 % interval of a
 * difference is below 0 and that of no other metric is above 0. The interval of a difference is computed from the intervals of both values, which
 * count as independent; the same users are in both, so the interval is rather too wide than too narrow.
 * Source: G. Y. Zou and A. Donner, Construction of confidence limits about effect measures, Statistics in Medicine 27 (2008).
 */
export function compareMetrics(added: Measured, serving: Measured, servingVersion: number): MetricsComparison {
  const obstacle = findObstacle(added, serving, servingVersion);
  if (obstacle !== null || added.metrics === null || serving.metrics === null) {
    return { verdict: 'not comparable', reason: `The metrics cannot be compared with version ${servingVersion}: ${obstacle}.` };
  }
  const [ours, theirs] = [added.metrics, serving.metrics];
  const differences = { 'recall@20': subtract(ours['recall@20'], theirs['recall@20']), 'ndcg@20': subtract(ours['ndcg@20'], theirs['ndcg@20']) };
  const verdict = verdicts[directionOf(differences)];
  const changes = rankingMetrics.map((name) => `${name} changed from ${format(theirs[name])} to ${format(ours[name])}`);
  const popularity = `On the same data, recall@20 of popularity changed from ${format(theirs.popularity['recall@20'])} to ${format(ours.popularity['recall@20'])}.`;
  return { verdict, reason: `Compared with version ${servingVersion}, ${changes.join(' and ')} (95 % intervals). ${popularity}`, ...differences };
}

/** Returns why the metrics are not comparable, or null. */
function findObstacle(added: Measured, serving: Measured, version: number): string | null {
  if (added.metrics === null) return 'the new version has no metrics, because no user has two interactions';
  if (serving.metrics === null) return `version ${version} has no metrics`;
  const [ours, theirs] = [added.parameters, serving.parameters];
  if (!isDeepStrictEqual([...ours.data_tags].sort(), [...theirs.data_tags].sort())) {
    return `data_tags is ${JSON.stringify(ours.data_tags)}, and was ${JSON.stringify(theirs.data_tags)}`;
  }
  if (ours.maximum_interaction_age_days !== theirs.maximum_interaction_age_days) {
    return `maximum_interaction_age_days is ${ours.maximum_interaction_age_days}, and was ${theirs.maximum_interaction_age_days}`;
  }
  if (!isDeepStrictEqual(ours.weights ?? {}, theirs.weights ?? {})) return 'the weights of the interaction types differ';
  if (ours.filter !== theirs.filter) return 'the filters of the data differ';
  if (isTimed(added) !== isTimed(serving)) {
    return `${isTimed(added) ? 'only the new data has' : `only the data of version ${version} has`} timestamps, so other interactions were held out`;
  }
  return null;
}

function isTimed({ data }: Measured): boolean {
  return (data?.interactions.with_timestamp ?? 0) > 0;
}

function subtract(ours: Estimate, theirs: Estimate): Estimate {
  const value = ours.value - theirs.value;
  return {
    value,
    low: value - Math.hypot(ours.value - ours.low, theirs.high - theirs.value),
    high: value + Math.hypot(ours.high - ours.value, theirs.value - theirs.low),
  };
}

function format({ value, low, high }: Estimate): string {
  return `${value.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`;
}
