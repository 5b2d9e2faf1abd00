import { expect, it } from 'vitest';
import type { Evaluation } from '../../engine/data/trainedModel.ts';
import { compareMetrics, type Measured } from './compareMetrics.ts';

function measured(recall: number, ndcg: number, parameters: Partial<Measured['parameters']> = {}): Measured {
  const estimate = (value: number) => ({ value, low: value - 0.01, high: value + 0.02 });
  const metrics = (first: number, second: number) => ({ 'recall@20': estimate(first), 'ndcg@20': estimate(second) });
  const evaluation: Evaluation = {
    ...metrics(recall, ndcg), coverage: 0.5, popularity: metrics(0.05, 0.03), 'item-knn': metrics(0.1, 0.1), users: 500, verdict: 'better than popularity',
  };
  return { metrics: evaluation, data: null, parameters: { setting: 'auto', seed: 1, data_tags: [], maximum_interaction_age_days: null, ...parameters } };
}

it('calls a version worse or better only if the interval of a difference excludes 0', () => {
  // The interval of the difference reaches up by √(0.02² + 0.01²) = 0.0224.
  expect(compareMetrics(measured(0.177, 0.1), measured(0.2, 0.1), 3).verdict).toBe('worse');
  expect(compareMetrics(measured(0.178, 0.1), measured(0.2, 0.1), 3).verdict).toBe('no measurable difference');
  expect(compareMetrics(measured(0.2, 0.123), measured(0.2, 0.1), 3).verdict).toBe('better');
  expect(compareMetrics(measured(0.2, 0.2), measured(0.3, 0.1), 3).verdict).toBe('no measurable difference');
});

it('reports the differences with their intervals', () => {
  const { reason, ...comparison } = compareMetrics(measured(0.1, 0.1), measured(0.2, 0.1), 3);
  expect(comparison['recall@20']?.value).toBeCloseTo(-0.1);
  expect(comparison['recall@20']?.low).toBeCloseTo(-0.1 - Math.hypot(0.01, 0.02));
  expect(comparison['recall@20']?.high).toBeCloseTo(-0.1 + Math.hypot(0.02, 0.01));
  expect(reason).toBe(
    'Compared with version 3, recall@20 changed from 0.200 (0.190–0.220) to 0.100 (0.090–0.120) and ndcg@20 changed from 0.100 (0.090–0.120) to ' +
      '0.100 (0.090–0.120) (95 % intervals). On the same data, recall@20 of popularity changed from 0.050 (0.040–0.070) to 0.050 (0.040–0.070).',
  );
});

it('does not compare trainings that select their data differently, and names the difference', () => {
  const base = measured(0.2, 0.1);
  const cases: [Measured, RegExp][] = [
    [measured(0.1, 0.1, { data_tags: ['shop'] }), /data_tags is \["shop"\], and was \[\]/],
    [measured(0.1, 0.1, { maximum_interaction_age_days: 30 }), /maximum_interaction_age_days is 30, and was null/],
    [measured(0.1, 0.1, { weights: { view: 2 } }), /weights/],
    [measured(0.1, 0.1, { filter: 'item.year > 2000' }), /filters/],
    [{ ...base, data: { interactions: { with_timestamp: 5 } } as Measured['data'] }, /only the new data has timestamps/],
    [{ ...base, metrics: null }, /no user has two interactions/],
  ];
  for (const [added, reason] of cases) {
    expect(compareMetrics(added, base, 3)).toMatchObject({ verdict: 'not comparable', reason: expect.stringMatching(reason) as string });
  }
});
