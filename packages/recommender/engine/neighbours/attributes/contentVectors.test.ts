import { expect, test } from 'vitest';
import { ContentProfile, contentVectors } from './contentVectors.ts';

/** Attribute 0 has the lift 1.95, 1 and 2 have 0: weights sqrt(2), sqrt(.05), sqrt(.05). */
const lift = Float64Array.of(1.95, 0, 0);

function rowsOf(lists: number[][]): { pointer: Float64Array; index: Int32Array } {
  let end = 0;
  return { pointer: Float64Array.from([0, ...lists.map((list) => (end += list.length))]), index: Int32Array.from(lists.flat()) };
}

test('a product of an item with another is the cosine of their weighted attributes', () => {
  const vectors = contentVectors(rowsOf([[0, 1], [0, 2], [1], []]), lift);
  if (vectors === null) throw new Error('no vectors');
  const profile = new ContentProfile(vectors);
  profile.add(0, 3);
  expect([0, 1, 2, 3].map((item) => profile.product(item) / 3)).toEqual([expect.closeTo(1, 6), expect.closeTo(2 / 2.05, 6), expect.closeTo(Math.sqrt(0.05 / 2.05), 6), 0]);
  profile.remove(0);
  expect([0, 1, 2, 3].map((item) => profile.product(item))).toEqual([0, 0, 0, 0]);
  profile.add(0, 1);
  profile.add(2, 2);
  expect(profile.product(2)).toBeCloseTo(2 + Math.sqrt(0.05 / 2.05), 6);
  profile.clear();
  expect(profile.product(2)).toBe(0);
});

test('an item keeps the attributes with the largest weights, at most 32, and none means no vectors', () => {
  const many = Array.from({ length: 40 }, (_, attribute) => attribute);
  const vectors = contentVectors(rowsOf([many, [39]]), Float64Array.from(many));
  expect([...(vectors?.index.subarray(0, 32) ?? [])]).toEqual(many.slice(8).toReversed());
  expect(vectors?.pointer).toEqual(Float64Array.of(0, 32, 33));
  expect(contentVectors(rowsOf([[], []]), lift)).toBeNull();
});
