import { expect, it } from 'vitest';
import { trainingData } from '../../testing/testData.ts';
import { countShared } from './countShared.ts';

it('counts ids that are both a source and a target, once each', () => {
  expect(countShared(trainingData([], [['u1', 'f1'], ['u2', 'f1']]))).toBe(0);
  const data = trainingData([], [['1', '2'], ['1', '3'], ['2', '3'], ['4', '2']]);
  expect(countShared(data)).toBe(1);
  expect(countShared({ ...data, dislikes: { count: 1, source: Int32Array.of(2), target: Int32Array.of(3), weight: Float32Array.of(-1) } })).toBe(3);
});
