import { rankingMetrics, verdictUsers, type Estimate, type Evaluation, type RankingMetrics } from '../../engine/data/trainedModel.ts';

/** Below this number of users, the intervals are mostly too wide to show a difference from popularity. */
const fewUsers = 100;

/** Parameters that change the weight of interactions, or fix what held-out interactions would decide. */
const suspects = ['weights', 'recency_half_life_days', 'setting'] as const;
type Metric = (typeof rankingMetrics)[number];
type Parameters = Partial<Record<(typeof suspects)[number], unknown>>;

/**
 * The reason of a training's verdict in one or two sentences, computed from the stored figures, so that trainings of earlier versions, which
 * compared intervals instead of differences, have a reason too.
 * @param parameters of the training; the reason names those that can make the lists worse
 * @example
 * explainVerdict(metrics, {})
 * // 'For each user, recall@20 minus that of popularity is 0.0030 on average (95 % interval -0.0100 to 0.0160), and …'
 */
export function explainVerdict(metrics: Evaluation, parameters: Parameters): string {
  const measured = `measured on ${metrics.users} ${metrics.users === 1 ? 'user' : 'users'} with held-out interactions`;
  const { popularity, popularity_difference: difference } = metrics;
  const isBetter = metrics.verdict === 'better than popularity';
  const named = isBetter ? rankingMetrics : rankingMetrics.filter((name) => !isAbove(metrics[name], popularity[name]));
  const compared = `${difference === undefined ? compareIntervals(metrics, named) : compareUsers(difference)}, ${measured}.`;
  if (isBetter) return compared;
  if (metrics['recall@20'].value === 0 && popularity['recall@20'].value === 0) {
    return `Neither the model nor popularity ranked a held-out interaction among the first 20, ${measured}. ${suggestMore(metrics, parameters)}`;
  }
  return `${compared} ${suggestMore(metrics, parameters)}`;
}

function compareUsers(difference: RankingMetrics): string {
  const differences = rankingMetrics.map((name, place) => {
    const { value, low, high } = difference[name];
    return `${name} minus that of popularity is ${value.toFixed(4)} ${place === 0 ? 'on average (95 % interval ' : '('}${low.toFixed(4)} to ${high.toFixed(4)})`;
  });
  return `For each user, ${differences.join(', and ')}`;
}

function compareIntervals(metrics: Evaluation, names: readonly Metric[]): string {
  const comparisons = names.map((name) => {
    const [ours, popularity] = [metrics[name], metrics.popularity[name]];
    const relation = isAbove(ours, popularity) ? 'is above' : isAbove(popularity, ours) ? 'is below' : 'overlaps';
    return `interval of ${name} (${format(ours)}) ${relation} the interval of popularity (${format(popularity)})`;
  });
  return `The 95 % ${comparisons.join(', and the ')}`;
}

/**
 * What to change. Histories in which item-kNN finds more than popularity are long enough for more than popularity. Then another cause keeps the model from it,
 * most often a parameter: of MovieLens with `recency_half_life_days` 30, only the last weeks of two decades count.
 */
function suggestMore(metrics: Evaluation, parameters: Parameters): string {
  if (metrics.users < verdictUsers) return `A verdict needs at least ${verdictUsers} users: train with more users who have several interactions each.`;
  if (metrics.users < fewUsers) return 'The intervals of so few users are wide: train with more users who have several interactions each.';
  const found = rankingMetrics.find((name) => isAbove(metrics['item-knn'][name], metrics.popularity[name]) && !isAbove(metrics[name], metrics.popularity[name]));
  if (found === undefined) return 'Most often users have too few interactions: train with longer histories.';
  const enough = `Item-kNN is above popularity on the same interactions (${found} ${format(metrics['item-knn'][found])}), so the histories are long enough.`;
  const given = suspects.filter((name) => parameters[name] !== undefined && parameters[name] !== 'auto');
  return given.length === 0 ? enough : `${enough} Compare with a training without ${given.join(' and ')}.`;
}

function isAbove(first: Estimate, second: Estimate): boolean {
  return first.low > second.high;
}

function format({ low, high }: Estimate): string {
  return `${low.toFixed(3)}–${high.toFixed(3)}`;
}
