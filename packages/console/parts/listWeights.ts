import type { TrainingRecord } from '@vouch/recommender/models/training/training.schema';
import { counted } from './words.ts';

/** Parameters that change what interactions count; only those that the request gave. */
export function listWeights({ weights, recency_half_life_days: recency, trending_half_life_days: trending }: TrainingRecord['parameters']): [string, string][] {
  return [
    ...Object.entries(weights ?? {}).slice(0, 8).map(([type, weight]): [string, string] => [`Weight of ${type || '(none)'}`, String(weight)]),
    ...(recency === undefined ? [] : [['Half-life of interactions', counted(recency, 'day')] as [string, string]]),
    ...(trending === undefined ? [] : [['Half-life of trending items', counted(trending, 'day')] as [string, string]]),
  ];
}
