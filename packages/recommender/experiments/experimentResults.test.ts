import { describe, expect, it } from 'vitest';
import type { ExperimentDefinition } from './experiment.schema.ts';
import type { ExperimentResults } from './experimentResults.schema.ts';
import { resultsOf } from './experimentResults.ts';

interface Count {
  users: number;
  conversions: number;
  empty?: number;
}

const arm = { model_id: 'm', filter: null, boost: null, rule: null };

function results(a: Count, b: Count, more: Partial<ExperimentDefinition> = {}): ExperimentResults {
  const definition = { arms: { a: arm, b: arm }, mode: 'split' as const, share: 0.5, outcome: ['purchase'], window_days: 7, minimum_effect: 0.1, guardrails: [], ...more };
  const countsOf = ({ users, conversions, empty = 0 }: Count) => ({ users, empty, byMetric: new Map([[0, conversions], [1, conversions]]) });
  return resultsOf({ organizationId: 'o', id: 'e', run: 'r', definition, startedAt: new Date(0), countedUntil: null }, { a: countsOf(a), b: countsOf(b) });
}

describe('the verdict', () => {
  it.each<[string, Count, Count, string, RegExp]>([
    ['nothing', { users: 0, conversions: 0 }, { users: 0, conversions: 0 }, 'running', /^There are no results yet/],
    ['users without outcomes', { users: 5, conversions: 0 }, { users: 4, conversions: 0 }, 'running', /^Not decided yet; 9 users are counted, and none has an outcome\.$/],
    ['one arm without outcomes', { users: 50_000, conversions: 0 }, { users: 50_000, conversions: 3_000 }, 'better', /and 0 % of the users of arm a; the true ratio is between/],
    ['a few users', { users: 100, conversions: 5 }, { users: 100, conversions: 9 }, 'running', /^Not decided yet; 200 users are counted: 9 % of the users of arm b/],
    ['an increase', { users: 50_000, conversions: 2_500 }, { users: 50_000, conversions: 3_000 }, 'better', /the ratio is 1\.2, and the true ratio is between 1\.1\d* and 1\.[23]\d*/],
    ['a decrease', { users: 50_000, conversions: 3_000 }, { users: 50_000, conversions: 2_500 }, 'worse', /^Arm b is worse/],
    ['equal arms of many users', { users: 900_000, conversions: 45_000 }, { users: 900_000, conversions: 45_100 }, 'no_difference', /^The arms differ by less than 10 %/],
    ['an undecided plan that has ended', { users: 62_000, conversions: 3_100 }, { users: 62_000, conversions: 3_250 }, 'no_difference', /^No difference was found within 124000 users, though \d+ are enough for a difference of 10 %/],
  ])('for %s', (_, a, b, code, text) => {
    expect(results(a, b).verdict).toMatchObject({ code, text: expect.stringMatching(text) as string });
  });

  it('for shared lists counts users with an outcome whose own row is missing', () => {
    const shared = results({ users: 50, conversions: 20 }, { users: 50, conversions: 200 }, { mode: 'interleaved' });
    expect(shared).toMatchObject({ verdict: { code: 'better' }, users: { reached: 220 }, arms: { b: { rate: { value: 200 / 220 } } }, ratio: { value: 10 } });
    expect(results({ users: 50, conversions: 0 }, { users: 50, conversions: 3 }, { mode: 'interleaved' })).toMatchObject({ ratio: { value: null, high: null }, verdict: { code: 'running' } });
  });
});

describe('guardrails', () => {
  const guardrails = [{ metric: 'interactions' as const, types: ['click'], tolerance: 0.1 }, { metric: 'empty_lists' as const, types: [], tolerance: 0.01 }];
  const statuses = (a: Count, b: Count) => results(a, b, { guardrails }).guardrails.map(({ status }) => status);

  it('are undecided at first, then held or broken', () => {
    expect(statuses({ users: 0, conversions: 0 }, { users: 0, conversions: 0 })).toEqual(['undecided', 'undecided']);
    expect(statuses({ users: 100, conversions: 10 }, { users: 100, conversions: 9 })).toEqual(['undecided', 'undecided']);
    expect(statuses({ users: 90_000, conversions: 9_000, empty: 100 }, { users: 90_000, conversions: 9_010, empty: 110 })).toEqual(['held', 'held']);
    expect(statuses({ users: 90_000, conversions: 9_000, empty: 100 }, { users: 90_000, conversions: 8_000, empty: 900 })).toEqual(['broken', 'broken']);
    // Better is not broken.
    expect(statuses({ users: 90_000, conversions: 8_000, empty: 900 }, { users: 90_000, conversions: 9_000, empty: 100 })).toEqual(['held', 'held']);
  });
});
