import { expect, test } from 'vitest';
import { listWeights } from './listWeights.ts';

const others = { setting: 'auto' as const, seed: 1, data_tags: [], maximum_interaction_age_days: null };

test('the weights and half-lives that a training was given have a name and a value each, and others are not listed', () => {
  expect(listWeights({ ...others, weights: { view: 1, '': -0.5 }, recency_half_life_days: 30, trending_half_life_days: 1 })).toEqual([
    ['Weight of view', '1'], ['Weight of (none)', '-0.5'], ['Half-life of interactions', '30 days'], ['Half-life of trending items', '1 day']]);
  expect(listWeights(others)).toEqual([]);
});
