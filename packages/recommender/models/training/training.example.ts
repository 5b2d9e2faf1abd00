const estimate = (value: number) => ({ value, low: Number((value - 0.008).toFixed(3)), high: Number((value + 0.008).toFixed(3)) });

/** A completed training, for the API description. */
export const trainingExample = {
  model_id: 'films',
  status: 'completed' as const,
  stage: null,
  progress: 1,
  waiting: null,
  created_at: '2026-03-02T09:31:00.000Z',
  started_at: '2026-03-02T09:31:00.120Z',
  completed_at: '2026-03-02T09:31:04.800Z',
  error: null,
  serving_version: 3,
  metrics: {
    'recall@20': estimate(0.166),
    'ndcg@20': estimate(0.132),
    coverage: 0.41,
    popularity: { 'recall@20': estimate(0.08), 'ndcg@20': estimate(0.055) },
    popularity_difference: { 'recall@20': estimate(0.086), 'ndcg@20': estimate(0.077) },
    'item-knn': { 'recall@20': estimate(0.139), 'ndcg@20': estimate(0.108) },
    users: 600,
    verdict: 'better than popularity' as const,
    verdict_reason: 'For each user, recall@20 minus that of popularity is 0.0860 on average (95 % interval 0.0780 to 0.0940), and ndcg@20 minus that of popularity is 0.0770 (0.0690 to 0.0850), measured on 600 users with held-out interactions.',
  },
  comparison: null,
  choice: null,
  data: {
    entities: { rows: 400, distinct: 400, types: 1, by_type: { film: 400 } },
    interactions: {
      rows: 40_000, used: 39_120, types: 1, by_type: { view: 40_000 }, ignored: { too_old: 0, repeated: 880, self: 0 }, with_timestamp: 40_000,
      newest_timestamp: '2026-03-01T23:59:00.000Z',
    },
    batches: 2,
  },
  parameters: { setting: 'auto' as const, seed: 1, data_tags: [], maximum_interaction_age_days: null },
  schedule: null,
  warnings: [],
};
