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
    'item-knn': { 'recall@20': estimate(0.139), 'ndcg@20': estimate(0.108) },
    users: 600,
    verdict: 'better than popularity' as const,
    verdict_reason: 'The 95 % intervals of recall@20 and ndcg@20 over 600 users are above the intervals of popularity.',
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
