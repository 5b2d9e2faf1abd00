import { expect, test } from 'vitest';
import { alsVariants } from './alsVariants.ts';

test('only small data is compared with a lower confidence, beside the dense start', () => {
  const confidences = (...given: Parameters<typeof alsVariants>): number[] => alsVariants(...given).map(({ confidence }) => confidence);
  expect(confidences('dense', 50_000)).toEqual([40, 5]);
  expect(confidences('dense', 50_001)).toEqual([40]);
  expect(confidences('sparse', 1000)).toEqual([40]);
});
