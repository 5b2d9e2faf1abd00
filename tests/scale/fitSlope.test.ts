import { expect, it } from 'vitest';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import { fitSlope } from './fitSlope.ts';

/** Samples of a saw tooth, as memory between garbage collections, with noise around a line. */
function samples(slope: number, seed: number): { x: number; y: number }[] {
  const random = seededRandom(seed);
  return Array.from({ length: 400 }, (_, x) => ({ x, y: 500 + slope * x + (x % 7) * 3 + random.below(20) }));
}

it('finds the slope of a line in a saw tooth', () => {
  const { slope, low, high } = fitSlope(samples(0.5, 1));
  expect(slope).toBeCloseTo(0.5, 1);
  expect(low).toBeGreaterThan(0.4);
  expect(high).toBeLessThan(0.6);
});

it('has an interval that contains 0 for nearly all flat samples', () => {
  const flat = Array.from({ length: 100 }, (_, seed) => fitSlope(samples(0, seed))).filter(({ low, high }) => low <= 0 && high >= 0);
  expect(flat.length).toBeGreaterThan(85);
});

it('needs two samples for each window', () => {
  expect(() => fitSlope(samples(0, 1).slice(0, 39))).toThrow('39 samples are too few');
});
