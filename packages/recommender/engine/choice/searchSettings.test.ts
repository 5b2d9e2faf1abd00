import { describe, expect, test } from 'vitest';
import { Results } from './results.ts';
import { searchSettings } from './searchSettings.ts';
import { starts } from './settingGrid.ts';
import type { Search } from './choice.ts';
import type { SummandLists } from './summandLists.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** Searches without mixtures ask for none, and mixtures of the sparse start are not compared as served. */
function noSummands(): never {
  throw new Error('no mixture is allowed');
}

/** Grounds of a search whose settings have the given recall for every user and cost no work, unless `lists` is the work of a list. */
/** Lists of which a search reads the scales alone. */
function summandsWith(als: readonly number[]): SummandLists {
  return { scale: { ridge: 10, als } } as unknown as SummandLists;
}

function sparseGrounds(recallOf: (setting: OperatorSetting) => number, lists = 0) {
  const trial = {
    factorWork: 0, scoreWork: 0, furtherFactors: () => 0, furtherRidge: () => 0, furtherAls: () => 0, ridgeScale: () => 17,
    summandsOf: noSummands, measureMixture: noSummands, servedWork: noSummands, measureServed: noSummands,
  };
  const measure = (settings: readonly OperatorSetting[], users: Int32Array): Float64Array[] => {
    trial.scoreWork += lists * settings.length * users.length;
    return settings.map((setting) => Float64Array.from({ length: 2 * users.length }, () => recallOf(setting)));
  };
  const deciding = Int32Array.from({ length: 40 }, (_, user) => user);
  const results = new Results({ measure }, deciding, () => {});
  return { trial, results, deciding, regressions: 1, mixture: 0, training: 1, allowed: 1, costly: 0, firstUsers: 20, users: 40, reach: 0.3, denseReach: 0.9, isSmallCatalogue: true, entries: 1000 };
}

test.each([[0.1, true], [0, false]])('sparse data lists with a small ridge unless the ridge is clearly worse (recall %d beside 0.1)', (recall, taken) => {
  const { chosen } = searchSettings(sparseGrounds(({ allPairs = false, ridge = 0 }) => (!allPairs ? 0 : ridge > 0 ? recall : 0.1)));
  expect(chosen).toEqual(taken ? { ...starts.sparse, ridge: 3, lambda: 100 } : starts.sparse);
});

test('a search from the sparse start tries a grid only if the work also allows to compare the best settings on all users', () => {
  // The starts take 10 lists, on which one is clearly worse, and the other 15 more; a part of the grid takes 50 lists, and four settings take 80 more lists on all users.
  const searchWith = (allowed: number): Search =>
    searchSettings({ ...sparseGrounds(({ allPairs = false }) => (allPairs ? 0.1 : 0), 1), regressions: 0, allowed }).search;
  expect(searchWith(25 + 100)).toMatchObject({ settings: 12, tried: 2, ended: 'its share was used up' });
  expect(searchWith(25 + 130).tried).toBeGreaterThan(10);
});

test('a search from the dense start does more than the usual work only where this would end within the grid', () => {
  // The search expects 145 lists: 5 of the start, 45 of nine settings on a part of the users, and 95 more of the start and of the four best settings.
  const searchWith = (allowed: number, costly: number): Search =>
    searchSettings({ ...sparseGrounds(({ b }) => b / 10, 1), reach: 1, regressions: 0, allowed, costly }).search;
  expect(searchWith(100, 0)).toMatchObject({ ended: 'its share was used up', allowed: 100 });
  expect(searchWith(100, 1e6)).toMatchObject({ ended: 'all were tried', allowed: 1e6 });
  expect(searchWith(120, 1e6)).toMatchObject({ allowed: 120 });
});

test('a search from the sparse start goes on to its mixtures at once if it tries any, and compares these on the first 1,500 users', () => {
  const compared: number[] = [];
  const grounds = sparseGrounds(({ allPairs = false }) => (allPairs ? 0.1 : 0));
  const trial = {
    ...grounds.trial,
    summandsOf: (_: OperatorSetting, __: number, users: Int32Array): SummandLists => {
      compared.push(users.length);
      return summandsWith([5]);
    },
    // Lists are best with as much of the ridge as of the operator, to which 3.6 of 7 votes come closest, and without least squares.
    measureMixture: ({ ridge = 0, als = 0 }: OperatorSetting): Float64Array => new Float64Array(2 * (compared[0] ?? 0)).fill(0.2 - Math.abs(ridge - 10) / 1000 - als / 100),
  };
  const deciding = Int32Array.from({ length: 2000 }, (_, user) => user);
  const results = new Results({ measure: (settings, users) => settings.map(({ allPairs = false }) => new Float64Array(2 * users.length).fill(allPairs ? 0.1 : 0)) }, deciding, () => {});
  const { chosen, search } = searchSettings({ ...grounds, trial, results, deciding, users: 2000, mixture: 1, allowed: 1e9 });
  expect(compared).toEqual([1500]);
  expect(chosen).toEqual({ ...starts.sparse, ridge: 10.6, lambda: 100 });
  // The two starts, the small ridge, and at most three settings for each of four votes.
  expect(search.settings).toBeLessThanOrEqual(2 + 1 + 4 * 3);
});

describe('a mixture of a setting without all pairs', () => {
  /** A search that chooses the dense start, whose mixtures with least squares list better by whole rows; lists as served have the given recall. */
  const searchWith = (served: { mixture: number; start: number }, work = 0, isSmallCatalogue = true, low = 1): { chosen: OperatorSetting; measured: number; search: Search } => {
    const grounds = sparseGrounds(({ als = 0 }) => 0.1 + Math.min(0.1, als / 100));
    let measured = 0;
    const results = (recall: number, users: Int32Array): Float64Array => new Float64Array(2 * users.length).fill(recall);
    const trial = {
      ...grounds.trial,
      summandsOf: () => summandsWith([5, 5]),
      measureMixture: ({ als = 0, ridge = 0, confidence = 40 }: OperatorSetting) => results((0.1 + als / 100 - ridge / 100) * (confidence === 5 ? low : 1), grounds.deciding),
      servedWork: () => work,
      measureServed: ({ als = 0 }: OperatorSetting, users: Int32Array) => {
        measured++;
        return results(als > 0 ? served.mixture : served.start, users);
      },
    };
    return { ...searchSettings({ ...grounds, trial, reach: 1, regressions: 0, mixture: 10, allowed: 1e9, isSmallCatalogue }), measured };
  };

  test('is taken if it lists better with rows as a model keeps them', () => {
    expect(searchWith({ mixture: 0.2, start: 0.1 })).toMatchObject({ chosen: { ...starts.dense, allPairs: true, als: 5 }, measured: 2 });
  });

  test('has least squares with a lower confidence if whole rows list better by two hundredths', () => {
    expect(searchWith({ mixture: 0.2, start: 0.1 }, 0, true, 1.03).chosen).toEqual({ ...starts.dense, allPairs: true, als: 5, confidence: 5 });
    expect(searchWith({ mixture: 0.2, start: 0.1 }, 0, true, 1.01).chosen).not.toHaveProperty('confidence');
  });

  test('is left if only whole rows list better', () => {
    expect(searchWith({ mixture: 0.1, start: 0.2 })).toMatchObject({ chosen: starts.dense, measured: 2 });
  });

  test('of a large catalogue is compared by whole rows', () => {
    expect(searchWith({ mixture: 0.1, start: 0.2 }, 0, false)).toMatchObject({ chosen: { ...starts.dense, allPairs: true, als: 5 }, measured: 0 });
  });

  test('of a large catalogue and more than 50,000 interactions is not tried where the work ended the search', () => {
    // The start takes 5 lists and 15 more, and the grid at least 45.
    const searchOf = (entries: number): OperatorSetting => {
      const grounds = sparseGrounds(() => 0.1, 1);
      const trial = Object.assign(grounds.trial, { summandsOf: () => summandsWith([5, 5]), measureMixture: ({ als = 0 }: OperatorSetting) => new Float64Array(80).fill(0.1 + als / 100) });
      return searchSettings({ ...grounds, trial, entries, reach: 1, regressions: 0, mixture: 1e9, allowed: 30, isSmallCatalogue: false }).chosen;
    };
    expect(searchOf(50_000)).toMatchObject({ allPairs: true });
    expect(searchOf(50_001)).toEqual(starts.dense);
  });

  test('of a large catalogue is not tried where each ridge lists clearly worse', () => {
    const grounds = sparseGrounds(({ ridge = 0 }) => (ridge > 0 ? 0.05 : 0.1));
    expect(searchSettings({ ...grounds, reach: 1, mixture: 10, allowed: 1e9, isSmallCatalogue: false }).chosen).toEqual(starts.dense);
  });

  test('is not tried beyond the work that a search is allowed', () => {
    expect(searchWith({ mixture: 0.2, start: 0.1 }, 1e9)).toMatchObject({ chosen: starts.dense, measured: 0 });
  });
});
