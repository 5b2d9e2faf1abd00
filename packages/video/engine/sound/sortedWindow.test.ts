import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SortedWindow } from './sortedWindow.ts';

it('is always the sorted values around its place', () => {
  fc.assert(fc.property(fc.float32Array({ noNaN: true, maxLength: 60 }), fc.integer({ min: 0, max: 12 }), (values, reach) => {
    const window = new SortedWindow(values, reach);
    for (let index = 0; index < values.length; index++) {
      window.moveTo(index);
      const sorted = values.slice(Math.max(0, index - reach), index + reach + 1).sort();
      for (const share of [0, 0.1, 0.5, 0.8, 0.9, 0.999]) expect(window.at(share) === sorted[Math.floor(sorted.length * share)]).toBe(true);
    }
  }));
});
