import { describe, expect, test } from 'vitest';
import type { Estimate, Evaluation } from '../../engine/data/trainedModel.ts';
import { explainVerdict } from './explainVerdict.ts';

const estimate = (low: number, high: number): Estimate => ({ value: (low + high) / 2, low, high });

function evaluation(ours: [Estimate, Estimate], popularity: [Estimate, Estimate], users: number, knn = ours): Evaluation {
  const better = ours.every(({ low }, of) => low > (popularity[of] as Estimate).high);
  return {
    'recall@20': ours[0], 'ndcg@20': ours[1], coverage: 0.5, users,
    popularity: { 'recall@20': popularity[0], 'ndcg@20': popularity[1] },
    'item-knn': { 'recall@20': knn[0], 'ndcg@20': knn[1] },
    verdict: better ? 'better than popularity' : 'not better than popularity yet',
  };
}

const [low, middle, high] = [estimate(0.1, 0.2), estimate(0.15, 0.3), estimate(0.4, 0.5)];

const differing = (metrics: Evaluation, recall: Estimate, ndcg: Estimate): Evaluation => ({
  ...metrics, popularity_difference: { 'recall@20': recall, 'ndcg@20': ndcg },
  verdict: Math.max(recall.low, ndcg.low) > 0 && metrics.users >= 20 ? 'better than popularity' : 'not better than popularity yet',
});

describe('the reason of a verdict', () => {
  test('states both differences, also where the intervals overlap', () => {
    expect(explainVerdict(differing(evaluation([middle, middle], [low, low], 1_390), estimate(-0.01, 0.02), estimate(0.07, 0.096)), {})).toBe(
      'For each user, recall@20 minus that of popularity is 0.0050 on average (95 % interval -0.0100 to 0.0200), and ndcg@20 minus that of popularity is 0.0830 (0.0700 to 0.0960), ' +
        'measured on 1390 users with held-out interactions.');
  });

  test('states the differences that may be chance, and what to do', () => {
    expect(explainVerdict(differing(evaluation([middle, middle], [low, low], 1_390), estimate(-0.01, 0.02), estimate(-0.01, 0.03)), {})).toMatch(
      /^For each user, .* 0\.0100 \(-0\.0100 to 0\.0300\), measured on 1390 users with held-out interactions\. Most often users have too few interactions: train with longer histories\.$/);
  });

  test('says that fewer than 20 users are too few for a verdict', () => {
    expect(explainVerdict(differing(evaluation([high, high], [low, low], 19), estimate(0.2, 0.4), estimate(0.2, 0.4)), {})).toMatch(
      /^For each user, recall@20 minus .*, and ndcg@20 .* measured on 19 users .*\. A verdict needs at least 20 users: train with more users who have several interactions each\.$/);
  });

  test('names both intervals that are above popularity, and the users', () => {
    expect(explainVerdict(evaluation([high, high], [low, middle], 1_200), {})).toBe(
      'The 95 % interval of recall@20 (0.400–0.500) is above the interval of popularity (0.100–0.200), and the interval of ndcg@20 (0.400–0.500) is above ' +
        'the interval of popularity (0.150–0.300), measured on 1200 users with held-out interactions.');
  });

  test('names only the metrics whose intervals overlap, and suggests longer histories where users are many', () => {
    const reason = explainVerdict(evaluation([high, low], [low, middle], 1_200), {});
    expect(reason).toMatch(/^The 95 % interval of ndcg@20 \(0\.100–0\.200\) overlaps the interval of popularity \(0\.150–0\.300\), measured on 1200 users/);
    expect(reason).not.toContain('recall@20');
    expect(reason).toContain('train with longer histories');
  });

  test('does not suggest longer histories where item-kNN finds more in the same histories, and names the parameters', () => {
    const metrics = evaluation([low, low], [low, low], 671, [high, high]);
    expect(explainVerdict(metrics, { setting: 'auto', weights: { rating: 2 }, recency_half_life_days: 30 })).toMatch(
      / held-out interactions\. Item-kNN is above popularity on the same interactions \(recall@20 0\.400–0\.500\), so the histories are long enough\. Compare with a training without weights and recency_half_life_days\.$/);
    expect(explainVerdict(metrics, { setting: 'auto' })).toMatch(/so the histories are long enough\.$/);
    expect(explainVerdict(evaluation([low, low], [low, low], 30, [high, high]), {})).toContain('train with more users');
  });

  test('suggests more users where users are few', () => {
    const reason = explainVerdict(evaluation([middle, middle], [low, low], 1), {});
    expect(reason).toContain('measured on 1 user with');
    expect(reason).toContain('train with more users');
  });

  test('says that the model is below popularity where the intervals are apart', () => {
    expect(explainVerdict(evaluation([low, low], [high, high], 500), {})).toMatch(/recall@20 \(0\.100–0\.200\) is below the interval of popularity/);
  });

  test('says that neither method ranked a held-out interaction', () => {
    const zero = estimate(0, 0);
    expect(explainVerdict(evaluation([zero, zero], [zero, zero], 3), {})).toMatch(
      /^Neither the model nor popularity ranked a held-out interaction among the first 20, measured on 3 users/);
  });
});
