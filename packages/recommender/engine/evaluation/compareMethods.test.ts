import { expect, test } from 'vitest';
import { compareMethods } from './compareMethods.ts';

/** Metrics of users whose held-out item each method finds (1) or not (0), at the same place of each list. */
function found(hits: readonly number[], gain = 0.5) {
  const metric = Float64Array.from(hits);
  return { recall: metric, ndcg: metric.map((hit) => hit * gain), covered: new Uint8Array([1, 0]) };
}

const compare = (ours: readonly number[], popularity: readonly number[]) => compareMethods({ ours: found(ours), knn: found(ours), popularity: found(popularity) }, 2, 1);

test('a gain of the same users counts although the intervals overlap', () => {
  // Popularity finds the items of 70 of 100 users, and the model those and eight more.
  const popularity = Array.from({ length: 100 }, (_, user) => (user < 70 ? 1 : 0));
  const { verdict, ...metrics } = compare(popularity.map((hit, user) => (user >= 92 ? 1 : hit)), popularity);
  expect(metrics['recall@20'].low).toBeLessThan(metrics.popularity['recall@20'].high);
  expect(metrics.popularity_difference?.['recall@20']).toMatchObject({ value: 0.08 });
  expect(verdict).toBe('better than popularity');
});

test('the same gain does not count if as many users lose', () => {
  const popularity = Array.from({ length: 100 }, (_, user) => (user < 70 ? 1 : 0));
  const { verdict, popularity_difference: difference } = compare(popularity.map((hit, user) => (user >= 92 ? 1 : user < 8 ? 0 : hit)), popularity);
  expect(difference?.['ndcg@20'].low).toBeLessThan(0);
  expect(verdict).toBe('not better than popularity yet');
});

test('better places alone are better, and worse places of more items are not', () => {
  const popularity = Array.from({ length: 100 }, (_, user) => (user < 70 ? 1 : 0));
  const more = popularity.map((hit, user) => (user >= 92 ? 1 : hit));
  const verdict = (hits: number[], gain: number) => compareMethods({ ours: found(hits, gain), knn: found(hits), popularity: found(popularity) }, 2, 1).verdict;
  expect(verdict(popularity, 0.6)).toBe('better than popularity');
  expect(verdict(more, 0.3)).toBe('not better than popularity yet');
});

test('19 users are too few for a verdict, whatever they choose', () => {
  const verdicts = [19, 20].map((users) => compare(Array.from({ length: users }, () => 1), Array.from({ length: users }, () => 0)).verdict);
  expect(verdicts).toEqual(['not better than popularity yet', 'better than popularity']);
});
