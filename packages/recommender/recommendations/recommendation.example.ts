/** An answer to GET /v1/recommender/related_items, for the API description. */
export const recommendationsExample = {
  recommendation_id: '0b9f2f0e-8a52-4f3c-9d0e-2d3f6a1c7b11',
  model_id: 'films',
  model_version: 3,
  kept_per_type: 100,
  unknown_ids: [],
  recommendations: [
    {
      source_id: 'film-12',
      target_id: 'film-31',
      rank: 1,
      score: 0.412345,
      type: 'film',
      name: 'Night Train to Kerala',
      media_url: 'https://example.org/posters/31.jpg',
      reasons: [
        { kind: 'co_interaction' as const, text: 'Chosen by 17 people who also chose “The Last Ferry”.', ids: ['user-4', 'user-9'], count: 17, share: 0.81 },
        { kind: 'attribute' as const, text: 'Also a thriller, like “The Last Ferry”.', field: 'genres', value: 'thriller', share: 0.19 },
      ],
    },
  ],
};
