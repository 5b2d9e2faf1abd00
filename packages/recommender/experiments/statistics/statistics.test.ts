import { seededRandom } from '@vouch/platform/process/seededRandom';
import { describe, expect, it } from 'vitest';
import { comparePreferences } from './comparePreferences.ts';
import { compareRates, estimateRate } from './compareRates.ts';
import { testSampleRatio } from './sampleRatio.ts';
import { neededPreferences, neededUsers } from './sampleSize.ts';
import { boundErrors, mixtureWeight } from './sequentialBound.ts';

/** Share of `runs` experiments that report a difference at any of 100 readings. */
function shareFound({ runs, rateA, rateB, perReading, seed }: { runs: number; rateA: number; rateB: number; perReading: number; seed: number }): number {
  const random = seededRandom(seed);
  let found = 0;
  for (let run = 0; run < runs; run += 1) {
    const a = { users: 0, conversions: 0 };
    const b = { users: 0, conversions: 0 };
    for (let reading = 0; reading < 100; reading += 1) {
      for (const [arm, rate] of [[a, rateA], [b, rateB]] as const) {
        for (let user = 0; user < perReading; user += 1) if (random.uniform() < rate) arm.conversions += 1;
        arm.users += perReading;
      }
      const { difference } = compareRates(a, b, 0.2) ?? { difference: { low: -1, high: 1 } };
      if (difference.low > 0 || difference.high < 0) {
        found += 1;
        break;
      }
    }
  }
  return found / runs;
}

describe('the sequential test', () => {
  it('reports a difference in at most 5 % of experiments without one, though it is read 100 times', () => {
    for (const rate of [0.02, 0.3]) expect(shareFound({ runs: 400, rateA: rate, rateB: rate, perReading: 50, seed: 7 })).toBeLessThanOrEqual(0.05);
  });

  it('finds a real difference within the needed number of users in at least 80 % of experiments', () => {
    const users = neededUsers({ baseRate: 0.2, share: 0.5, minimumEffect: 0.2 });
    expect(shareFound({ runs: 300, rateA: 0.2, rateB: 0.24, perReading: Math.ceil(users / 200), seed: 3 })).toBeGreaterThanOrEqual(0.8);
  });

  it('needs more standard errors than a test of fixed size at every information, least around the planned one', () => {
    const weight = mixtureWeight(0.1);
    const errors = [1, 100, 1_000, 10_000, 1e6, 1e9].map((information) => boundErrors(information, weight));
    expect(Math.min(...errors)).toBeGreaterThan(1.96);
    expect(Math.min(...errors)).toBeLessThan(3.1);
    expect(errors[0]).toBeGreaterThan(10);
  });

  it('has no result without users, and wide intervals after a few', () => {
    expect(compareRates({ users: 0, conversions: 0 }, { users: 5, conversions: 1 }, 0.1)).toBeNull();
    const few = compareRates({ users: 3, conversions: 0 }, { users: 3, conversions: 3 }, 0.1);
    expect(few).toMatchObject({ difference: { value: 1, low: -1, high: 1 }, ratio: { value: null } });
    expect(estimateRate({ users: 3, conversions: 3 }, 0.1)).toMatchObject({ value: 1, high: 1 });
    expect(estimateRate({ users: 1000, conversions: 0 }, 0.1)).toMatchObject({ value: 0, low: 0 });
  });

  it('is symmetric in the arms', () => {
    const a = { users: 1200, conversions: 100 };
    const b = { users: 800, conversions: 90 };
    const [there, back] = [compareRates(a, b, 0.1), compareRates(b, a, 0.1)];
    expect(there?.difference.low).toBeCloseTo(-(back?.difference.high ?? 0), 12);
    expect(there?.ratio.low).toBeCloseTo(1 / (back?.ratio.high ?? 0), 12);
  });
});

describe('preferences', () => {
  it('decide when one arm clearly wins first outcomes, and not before', () => {
    expect(comparePreferences({ users: 10, a: 0, b: 0 }, 0.2)).toBeNull();
    expect(comparePreferences({ users: 1000, a: 100, b: 200 }, 0.2)).toMatchObject({ difference: { value: 0.1 }, ratio: { value: 2 } });
    expect(comparePreferences({ users: 1000, a: 100, b: 200 }, 0.2)?.ratio.low).toBeGreaterThan(1);
    expect(comparePreferences({ users: 1000, a: 100, b: 130 }, 0.2)?.ratio.low).toBeLessThan(1);
    expect(comparePreferences({ users: 1000, a: 0, b: 3 }, 0.2)?.ratio.high).toBe(Infinity);
  });
});

describe('the sample size', () => {
  it('grows with smaller effects, rarer outcomes and uneven shares, to about 1.9 times a test of fixed size', () => {
    const even = neededUsers({ baseRate: 0.05, share: 0.5, minimumEffect: 0.1 });
    // A two-sided test of fixed size with 5 % and 80 % power needs about 62,500 users.
    expect(even / 62_500).toBeGreaterThan(1.7);
    expect(even / 62_500).toBeLessThan(2.1);
    expect(neededUsers({ baseRate: 0.05, share: 0.5, minimumEffect: 0.05 })).toBeGreaterThan(3.5 * even);
    expect(neededUsers({ baseRate: 0.01, share: 0.5, minimumEffect: 0.1 })).toBeGreaterThan(4 * even);
    expect(neededUsers({ baseRate: 0.05, share: 0.1, minimumEffect: 0.1 })).toBeGreaterThan(2 * even);
    expect(neededUsers({ baseRate: 1, share: 0.5, minimumEffect: 0.1 })).toBeGreaterThanOrEqual(0);
    expect(neededPreferences({ outcomeRate: 0.5, minimumEffect: 0.1 }) / neededPreferences({ outcomeRate: 1, minimumEffect: 0.1 })).toBeCloseTo(2, 3);
  });
});

describe('the sample ratio', () => {
  it('is a mismatch only when the users do not fit the share', () => {
    expect(testSampleRatio(0, 0, 0.5)).toEqual({ chiSquare: 0, isMismatch: false });
    expect(testSampleRatio(5_000, 5_100, 0.5).isMismatch).toBe(false);
    expect(testSampleRatio(5_000, 5_400, 0.5).isMismatch).toBe(true);
    expect(testSampleRatio(9_000, 1_000, 0.1)).toMatchObject({ chiSquare: 0, isMismatch: false });
  });
});
