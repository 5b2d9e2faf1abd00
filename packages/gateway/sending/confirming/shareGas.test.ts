import { assert, bigInt, array, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { shareGas } from './shareGas.ts';

test('shares sum to the receipt to the unit, and nobody is further than one unit from its part', () => {
  assert(property(bigInt({ min: 0n, max: 30_000_000n }), array(integer({ min: 0, max: 300_000 }), { minLength: 1, maxLength: 400 }), (gas, weights) => {
    const shares = shareGas(gas, weights);
    expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(gas);
    const sum = weights.reduce((total, weight) => total + weight, 0);
    for (const [place, share] of shares.entries()) {
      const part = sum === 0 ? Number(gas) / weights.length : (Number(gas) * (weights[place] as number)) / sum;
      expect(Math.abs(Number(share) - part)).toBeLessThanOrEqual(1.000001);
    }
  }));
});

test('what rounding leaves goes to the largest remainders, the earlier of two equal ones first', () => {
  expect(shareGas(100n, [1, 1, 1])).toEqual([34n, 33n, 33n]);
  expect(shareGas(10n, [5, 3, 3])).toEqual([4n, 3n, 3n]);
  expect(shareGas(7n, [0, 0])).toEqual([4n, 3n]);
  expect(shareGas(21_000n, [])).toEqual([]);
});
