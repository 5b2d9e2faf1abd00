import { describe, expect, it } from 'vitest';
import { divisions, type DayTerms, type Division } from './shareOfDay.ts';

const token = 10n ** 18n;
const terms = (changes: Partial<DayTerms>): DayTerms => ({ reward: 1_000n * token, licensesOfAll: 7n, licenses: 3n, commissionRate: 1_000n, ...changes });

describe('the share of a node in the reward of a day', () => {
  it('at our contract: what cannot be divided among its licenses stays with the node', () => {
    // The share is 3000/7 = 428.571428571428571428 tokens and 4/7 of the smallest unit; the commission is 10 %.
    expect(divisions['by node'].divide(terms({}))).toEqual({ node: 42_857_142_857_142_857_144n, delegators: 385_714_285_714_285_714_284n, perLicense: 128_571_428_571_428_571_428n });
  });

  it('at the upstream contract: one license first', () => {
    expect(divisions['by license'].divide(terms({}))).toEqual({ node: 42_857_142_857_142_857_142n, delegators: 385_714_285_714_285_714_284n, perLicense: 128_571_428_571_428_571_428n });
    // Example from the upstream documentation: 385850 tokens for 5644 licenses give 68.36 per license.
    expect(divisions['by license'].divide(terms({ reward: 385_850n * token, licensesOfAll: 5_644n, licenses: 1n, commissionRate: 0n })).perLicense / 10n ** 16n).toBe(6_836n);
  });

  it.each(Object.keys(divisions) as Division[])('never promises more than there is, and nothing without licenses: %s', (division) => {
    for (const [licenses, licensesOfAll, commissionRate, reward] of [[1n, 1n, 0n, 1n], [1n, 3n, 10_000n, 2n], [200n, 1_999n, 333n, 999_999_999_999n], [2n, 2n, 1n, 1n]] as const) {
      const share = divisions[division].divide({ licenses, licensesOfAll, commissionRate, reward });
      expect(share.node + share.delegators <= (reward * licenses) / licensesOfAll).toBe(true);
      expect(share.perLicense * licenses).toBe(share.delegators);
    }
    expect(divisions[division].divide(terms({ licenses: 0n }))).toMatchObject({ node: 0n, delegators: 0n });
    expect(divisions[division].divide(terms({ licenses: 0n, licensesOfAll: 0n }))).toEqual({ node: 0n, delegators: 0n, perLicense: 0n });
  });
});
