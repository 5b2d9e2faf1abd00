import { rankingMetrics, type Estimate, type Evaluation } from '../../engine/data/trainedModel.ts';

/** Below this number of users, the intervals are mostly too wide to show a difference from popularity. */
const fewUsers = 100;

/**
 * The reason of a training's verdict in one or two sentences, computed from the stored figures, so that trainings of earlier versions have a
 * reason too.
 * @example
 * explainVerdict(metrics)
 * // 'The 95 % interval of recall@20 (0.102–0.481) overlaps the interval of popularity (0.090–0.452), measured on 14 users. …'
 */
export function explainVerdict(metrics: Evaluation): string {
  const measured = `measured on ${metrics.users} ${metrics.users === 1 ? 'user' : 'users'} with held-out interactions`;
  if (metrics.verdict === 'better than popularity') {
    return `${compareIntervals(metrics, rankingMetrics)}, ${measured}.`;
  }
  if (metrics['recall@20'].value === 0 && metrics.popularity['recall@20'].value === 0) {
    return `Neither the model nor popularity ranked a held-out interaction among the first 20, ${measured}. ${suggestData(metrics.users)}`;
  }
  const notAbove = rankingMetrics.filter((name) => !isAbove(metrics[name], metrics.popularity[name]));
  return `${compareIntervals(metrics, notAbove)}, ${measured}. ${suggestData(metrics.users)}`;
}

function compareIntervals(metrics: Evaluation, names: readonly (typeof rankingMetrics)[number][]): string {
  const comparisons = names.map((name) => {
    const [ours, popularity] = [metrics[name], metrics.popularity[name]];
    const relation = isAbove(ours, popularity) ? 'is above' : isAbove(popularity, ours) ? 'is below' : 'overlaps';
    return `interval of ${name} (${format(ours)}) ${relation} the interval of popularity (${format(popularity)})`;
  });
  return `The 95 % ${comparisons.join(', and the ')}`;
}

function suggestData(users: number): string {
  return users < fewUsers
    ? 'The intervals of so few users are wide: train with more users who have several interactions each.'
    : 'Most often users have too few interactions: train with longer histories.';
}

function isAbove(first: Estimate, second: Estimate): boolean {
  return first.low > second.high;
}

function format({ low, high }: Estimate): string {
  return `${low.toFixed(3)}–${high.toFixed(3)}`;
}
