import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { selectLargest, sortLargestFirst } from './selectLargest.ts';

test('selecting and sorting equals sorting everything, with ties by index', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -3, max: 9 }), { maxLength: 120 }), fc.nat(130), (values, k) => {
      const key = Float64Array.from(values);
      // Descending indexes, so that the input order never breaks a tie correctly.
      const index = Int32Array.from(values, (_, place) => values.length - place);
      const expected = values
        .map((value, place) => [value, values.length - place] as const)
        .toSorted((a, b) => b[0] - a[0] || a[1] - b[1])
        .slice(0, k);
      const kept = Math.min(k, values.length);
      selectLargest(key, index, values.length, kept);
      sortLargestFirst(key, index, kept);
      expect(Array.from({ length: kept }, (_, place) => [key[place], index[place]])).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});
