import { assert, bigInt, option, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderedFees } from './orderFees.ts';

const gwei = 10n ** 9n;
const market = { baseFeeWei: gwei, suggestedTipWei: gwei, capWei: 100n * gwei };
const old = { maxFeeWei: 4n * gwei, priorityFeeWei: gwei };

describe('the fees of an ordered replacement', () => {
  it('are the least that nodes take, or what the chain asks', () => {
    expect(orderedFees(old, market, null)).toEqual({ fees: { maxFeeWei: 4_500_000_000n, priorityFeeWei: 1_125_000_000n } });
    expect(orderedFees(old, { ...market, baseFeeWei: 10n * gwei }, null)).toEqual({ fees: { maxFeeWei: 21n * gwei, priorityFeeWei: 1_125_000_000n } });
  });

  it('are those that the operator names, with a tip that rises too', () => {
    expect(orderedFees(old, market, 21n * gwei)).toEqual({ fees: { maxFeeWei: 21n * gwei, priorityFeeWei: 10n * gwei } });
  });

  it.each([
    [old, market, 4n * gwei, '4 gwei is below the 4.5 gwei'],
    [old, market, 101n * gwei, 'above the limit of 100 gwei'],
    [{ ...old, maxFeeWei: 90n * gwei }, market, null, 'at least 101.25 gwei'],
    [old, { ...market, baseFeeWei: 50n * gwei }, 20n * gwei, 'is 50 gwei'],
    [old, { ...market, baseFeeWei: 200n * gwei }, null, 'is 200 gwei'],
  ])('are refused with the numbers: %o %o %s', (before, now, wanted, words) => {
    expect(orderedFees(before, now, wanted)).toEqual({ refusal: expect.stringContaining(words) as string });
  });

  it('never break the rules of nodes or the cap, whatever is asked', () => {
    const wei = bigInt({ min: 0n, max: 200n * gwei });
    assert(property(record({ maxFeeWei: wei, priorityFeeWei: wei }), wei, wei, option(wei), (before, baseFeeWei, suggestedTipWei, wanted) => {
      const valid = { maxFeeWei: before.maxFeeWei > before.priorityFeeWei ? before.maxFeeWei : before.priorityFeeWei, priorityFeeWei: before.priorityFeeWei };
      const ordered = orderedFees(valid, { ...market, baseFeeWei, suggestedTipWei }, wanted);
      if ('refusal' in ordered) return;
      const { maxFeeWei, priorityFeeWei } = ordered.fees;
      expect(maxFeeWei * 1000n >= valid.maxFeeWei * 1125n && priorityFeeWei * 1000n >= valid.priorityFeeWei * 1125n).toBe(true);
      expect(maxFeeWei <= market.capWei && priorityFeeWei <= maxFeeWei && maxFeeWei >= baseFeeWei && (wanted === null || maxFeeWei === wanted)).toBe(true);
    }));
  });
});
