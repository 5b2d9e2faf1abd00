import { expect, it } from 'vitest';
import { nearestName } from './nearestName.ts';

const known = ['threshold', 'model_id', 'max_recommendations', 'tags'];

it.each([
  ['treshold', 'threshold'],
  ['Threshold', 'threshold'],
  ['thershold', 'threshold'],
  ['modelid', 'model_id'],
  ['max_recomendation', 'max_recommendations'],
  ['tag', 'tags'],
])('takes %s for %s', (name, expected) => {
  expect(nearestName(name, known)).toBe(expected);
});

it.each(['banana', 'x'.repeat(10_000), ''])('offers nothing for a name near none (%#)', (name) => {
  expect(nearestName(name, known)).toBeNull();
});
