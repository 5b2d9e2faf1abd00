import { expect, test } from 'vitest';
import { initialFees, isPayable, replacementFees } from './fees.ts';

const gwei = 1_000_000_000n;
const market = { baseFeeWei: 10n * gwei, suggestedTipWei: 2n * gwei, capWei: 100n * gwei };

test('a new transaction leaves room for a base fee that doubles, within the cap', () => {
  expect(initialFees(market)).toEqual({ maxFeeWei: 22n * gwei, priorityFeeWei: 2n * gwei });
  expect(initialFees({ ...market, baseFeeWei: 90n * gwei })).toEqual({ maxFeeWei: 100n * gwei, priorityFeeWei: 2n * gwei });
  expect(initialFees({ ...market, baseFeeWei: 99n * gwei })).toEqual({ maxFeeWei: 100n * gwei, priorityFeeWei: 1n * gwei });
  expect(initialFees({ ...market, baseFeeWei: 101n * gwei })).toBeNull();
});

test('a replacement adds at least 12.5 % to both parts, follows the market, and never passes the cap', () => {
  expect(replacementFees({ maxFeeWei: 80n * gwei, priorityFeeWei: 8n * gwei }, market)).toEqual({ maxFeeWei: 90n * gwei, priorityFeeWei: 9n * gwei });
  expect(replacementFees({ maxFeeWei: 1n, priorityFeeWei: 0n }, market)).toEqual({ maxFeeWei: 22n * gwei, priorityFeeWei: 2n * gwei });
  // If the market is above the cap, the replacement offers the cap, so that it can be included when fees fall.
  expect(replacementFees({ maxFeeWei: 40n * gwei, priorityFeeWei: gwei }, { ...market, baseFeeWei: 300n * gwei })?.maxFeeWei).toBe(100n * gwei);
});

test('a replacement at the cap offers more to the proposer alone, because the pool may have a transaction of another program at the nonce', () => {
  expect(replacementFees({ maxFeeWei: 89n * gwei, priorityFeeWei: gwei }, market)).toEqual({ maxFeeWei: 100n * gwei, priorityFeeWei: 1_125_000_000n });
  expect(replacementFees({ maxFeeWei: 100n * gwei, priorityFeeWei: 88n * gwei }, market)).toEqual({ maxFeeWei: 100n * gwei, priorityFeeWei: 99n * gwei });
  expect(replacementFees({ maxFeeWei: 100n * gwei, priorityFeeWei: 99n * gwei }, market)).toBeNull();
  expect(replacementFees({ maxFeeWei: 101n * gwei, priorityFeeWei: gwei }, market)).toBeNull();
  expect(replacementFees({ maxFeeWei: 100n * gwei, priorityFeeWei: gwei }, { ...market, baseFeeWei: 101n * gwei })).toBeNull();
  expect(replacementFees({ maxFeeWei: 9n, priorityFeeWei: 9n }, { baseFeeWei: 0n, suggestedTipWei: 0n, capWei: 10n, legacy: true })).toBeNull();
});

test('without base fees the price is offered whole, raised whole, and not beyond the cap', () => {
  const old = { baseFeeWei: 0n, suggestedTipWei: 8n * gwei, capWei: 10n * gwei, legacy: true } as const;
  expect(initialFees(old)).toEqual({ maxFeeWei: 8n * gwei, priorityFeeWei: 8n * gwei, legacy: true });
  expect(initialFees({ ...old, suggestedTipWei: 11n * gwei })).toBeNull();
  expect(replacementFees({ maxFeeWei: 8n * gwei, priorityFeeWei: 8n * gwei }, old)).toEqual({ maxFeeWei: 9n * gwei, priorityFeeWei: 9n * gwei, legacy: true });
  expect(replacementFees({ maxFeeWei: gwei, priorityFeeWei: gwei }, { ...old, suggestedTipWei: 30n * gwei })).toEqual({ maxFeeWei: 10n * gwei, priorityFeeWei: 10n * gwei, legacy: true });
});

test('one wei is raised by a whole wei, and a base fee that is just met is payable', () => {
  expect(replacementFees({ maxFeeWei: 1n, priorityFeeWei: 1n }, { baseFeeWei: 0n, suggestedTipWei: 0n, capWei: 10n })).toEqual({ maxFeeWei: 2n, priorityFeeWei: 2n });
  expect(isPayable({ maxFeeWei: 5n, priorityFeeWei: 0n }, 5n)).toBe(true);
  expect(isPayable({ maxFeeWei: 5n, priorityFeeWei: 0n }, 6n)).toBe(false);
});
