import { rankingMetrics, type RankingMetrics } from '../data/trainedModel.ts';

/** Where differences lie: above 0 if the interval of one metric is above 0 and that of no other below 0, below 0 in the opposite case, and neither otherwise. */
export function directionOf(differences: RankingMetrics): 'above' | 'below' | 'neither' {
  const above = rankingMetrics.some((name) => differences[name].low > 0);
  const below = rankingMetrics.some((name) => differences[name].high < 0);
  if (above === below) return 'neither';
  return above ? 'above' : 'below';
}
