import { describe, expect, test } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { numberItems } from '../catalogue/numberItems.ts';
import { defaultSetting } from '../data/defaultSetting.ts';
import { factorise } from '../factors/factorise.ts';
import { createRandom } from '../linear/random.ts';
import { contentVectors } from '../neighbours/attributes/contentVectors.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { trainingData, type PairRow } from '../../testing/testData.ts';
import { splitHistory } from '../evaluation/splitHistory.ts';
import { chooseSetting } from './chooseSetting.ts';
import { drawHeldOut } from '../evaluation/heldOutUsers.ts';
import { profileBytes, ProfileMemory, type ProfilePart } from './profileMemory.ts';
import { ProfileScorer } from './profileScorer.ts';
import { scoredSetting } from './scoredSetting.ts';
import { Results } from './results.ts';
import { sampleUsers } from './sampleUsers.ts';
import { giveBack } from './giveBack.ts';
import { reachOf } from './reach.ts';
import { searchSettings } from './searchSettings.ts';
import { coarseGrid, neighboursOf, starts } from './settingGrid.ts';
import { Trial } from './trial.ts';
import { Workspace } from '../kernels/workspace.ts';
import { computeRidge } from '../ridge/ridgeMatrix.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/**
 * Users who visit the items of a ring in order, each from a different start, so that the order of items predicts the next
 * item.
 */
function walks(users: number, items: number, steps: number, timed = true): PairRow[] {
  const random = createRandom(3);
  return Array.from({ length: users }, (_, user) => {
    const start = random.below(items);
    return Array.from({ length: steps }, (_, step): PairRow => {
      const pair = [`user-${user}`, `item-${(start + step) % items}`] as const;
      return timed ? [...pair, step] : [...pair];
    });
  }).flat();
}

describe('the choice of the setting', () => {
  const choose = (pairs: readonly PairRow[], part: 'exponents' | 'time') => chooseSetting(trainingData([], pairs), part, 1, () => {});

  test('takes transitions where the next item follows from the last', () => {
    // Every item has a fixed successor; after the successor, users jump to another item. The second-last item is held out for
    // the choice.
    const random = createRandom(5);
    const pairs = Array.from({ length: 150 }, (_, user) => {
      const starts = Array.from({ length: 40 }, (_, item) => item).sort(() => random.uniform() - 0.5).slice(0, 7);
      const steps = starts.flatMap((start) => [`item-${start}`, `after-${start}`]).slice(0, 13);
      return steps.map((item, step): PairRow => [`user-${user}`, item, step]);
    }).flat();
    const choice = choose(pairs, 'time');
    expect(choice?.chosen).toMatchObject({ ...defaultSetting, recency: true });
    expect(choice?.chosen.transitions).toBeGreaterThan(0);
    const [flat, ...others] = choice?.candidates ?? [];
    expect(flat?.setting).toMatchObject({ recency: false, transitions: 0 });
    expect(Math.max(...others.map((other) => other['recall@20']))).toBeGreaterThan(flat?.['recall@20'] ?? 1);
  });

  test('leaves time alone without timestamps', () => {
    expect(choose(walks(80, 60, 12, false), 'time')).toBeNull();
    const choice = choose(walks(80, 60, 12, false), 'exponents');
    expect(choice?.candidates.map(({ setting }) => setting)).toEqual(expect.arrayContaining([starts.dense, ...coarseGrid.dense]));
    expect(choice?.chosen.transitions ?? 0).toBe(0);
  });

  test('keeps the default where there are too few users to tell', () => {
    expect(choose(walks(20, 30, 8), 'exponents')).toBeNull();
    expect(choose([], 'exponents')).toBeNull();
    expect(choose([['u', 'a', 1]], 'time')).toBeNull();
  });

  test('keeps the default where nothing tells the settings apart', () => {
    // All users have the same ten items, so a list of 20 contains the held-out items with any setting.
    const pairs = Array.from({ length: 60 }, (_, user) => Array.from({ length: 10 }, (_, item): PairRow => [`u${user}`, `i${item}`]));
    expect(choose(pairs.flat(), 'exponents')?.chosen).toBe(starts.dense);
  });

  test('is the same again', () => {
    const pairs = walks(70, 40, 10);
    expect(choose(pairs, 'exponents')).toEqual(choose(pairs, 'exponents'));
  });
});

exhaustiveTest('users with few interactions get all pairs, users who share most items do not', () => {
  // Each item belongs to one of 20 tastes; a user has four of the 60 items of the user's taste, so most pairs have no common user.
  const random = createRandom(4);
  const pairs = Array.from({ length: 900 }, (_, user) => {
    const own = new Set<number>();
    while (own.size < 4) own.add((user % 20) * 60 + Math.floor(60 * random.uniform() ** 2));
    return [...own].map((item): PairRow => [`user-${user}`, `item-${item}`]);
  }).flat();
  const sparse = chooseSetting(trainingData([], pairs), 'exponents', 1, () => {});
  expect(sparse?.search?.reach).toBeLessThan(0.9);
  expect(sparse?.chosen.allPairs).toBe(true);
  const dense = chooseSetting(trainingData([], walks(80, 60, 12, false)), 'exponents', 1, () => {});
  expect(dense?.search?.reach).toBeGreaterThan(0.9);
  expect(dense?.candidates.some(({ setting }) => setting.allPairs === true && setting.ridge === undefined)).toBe(false);
  expect(dense?.candidates.some(({ setting }) => (setting.ridge ?? 0) > 0)).toBe(true);
});

test('reach is the share of held-out items that share a user with the history', () => {
  const rows = (lists: number[][]) => ({
    pointer: Float64Array.from([0, ...lists.map((_, at) => lists.slice(0, at + 1).flat().length)]), index: Int32Array.from(lists.flat()),
  });
  // Item 2 has user 1 in common with item 0 of user 0; item 3 has no user in common with it; item 4 has no user at all.
  const train = rows([[0], [0, 2], [3]]);
  expect(reachOf(train, rows([[2, 3, 4], [], []]), Int32Array.of(0), 5)).toBeCloseTo(1 / 3);
  expect(reachOf(train, rows([[], [], []]), Int32Array.of(0), 5)).toBe(1);
});

test('a split of short histories hides about a tenth, and always the items of the deciding users', () => {
  const data = trainingData([], walks(400, 60, 5));
  const catalogue = numberItems(data);
  const whole = buildHistory(data, catalogue);
  const split = splitHistory(whole, catalogue, 1);
  expect(split.test.index.length).toBe(400);
  const kept = Int32Array.from({ length: 100 }, (_, user) => user);
  const { train, test } = giveBack(whole, split, kept, 7);
  expect(test.index.length).toBeGreaterThan(100 + 110);
  expect(test.index.length).toBeLessThan(100 + 190);
  expect(train.index.length + test.index.length).toBe(whole.index.length);
  for (let user = 0; user < 400; user++) {
    const own = [...train.index.subarray(train.pointer[user], train.pointer[user + 1]), ...test.index.subarray(test.pointer[user], test.pointer[user + 1])];
    expect(own).toEqual([...whole.index.subarray(whole.pointer[user], whole.pointer[user + 1])]);
    if (user < 100) expect(test.pointer[user + 1]).toBe(user + 1);
  }
  const long = trainingData([], walks(50, 60, 12));
  const longHistory = buildHistory(long, numberItems(long));
  const unchanged = splitHistory(longHistory, numberItems(long), 1);
  expect(giveBack(longHistory, unchanged, kept.subarray(0, 1), 7).train).toBe(unchanged.train);
});

test('a fine search steps along one axis at a time, within the ranges', () => {
  const near = neighboursOf({ pu: -0.5, pa: 0, pb: 0.1, T: -2, b: 8, allPairs: true });
  expect(near).toEqual([
    { pu: -0.5, pa: 0, pb: 0.1, T: -2, b: 4, allPairs: true },
    { pu: -0.5, pa: -0.1, pb: 0.1, T: -2, b: 8, allPairs: true },
    { pu: -0.5, pa: 0, pb: 0.025, T: -2, b: 8, allPairs: true },
    { pu: -0.5, pa: 0, pb: 0.1, T: -1.5, b: 8, allPairs: true },
    { pu: -0.5, pa: 0, pb: 0.175, T: -2, b: 8, allPairs: true },
  ]);
});

test('a search ends with the step whose work is no longer allowed, and says so', () => {
  const data = trainingData([], walks(80, 60, 12, false));
  const catalogue = numberItems(data);
  const { train, test } = splitHistory(buildHistory(data, catalogue), catalogue, 1);
  const search = (allowed: number) => {
    const trial = new Trial(toInteractions(train, 60, new Workspace()), train, test, catalogue, 1);
    const deciding = drawHeldOut(test, 80, 2);
    const results = new Results(trial, deciding, () => {});
    const grounds = { trial, results, deciding, regressions: 1, mixture: 0, training: 1e6, allowed, costly: 0, firstUsers: 40, users: 80, reach: 1, denseReach: 0.9, isSmallCatalogue: true, entries: 1000 };
    return { ...searchSettings(grounds), candidates: results.candidates() };
  };
  const whole = search(Number.POSITIVE_INFINITY);
  expect(whole.search).toMatchObject({ settings: whole.search.tried, ended: 'all were tried', reach: 1 });
  expect(whole.search.tried).toBeGreaterThan(coarseGrid.dense.length);
  const none = search(0);
  expect(none.candidates.map(({ setting }) => setting)).toEqual([starts.dense]);
  expect(none.chosen).toBe(starts.dense);
  expect(none.search).toMatchObject({ tried: 1, ended: 'its share was used up', allowed: 0 });
  const half = search(whole.search.used * 1e6 * 0.5);
  expect(half.search.tried).toBeGreaterThan(none.search.tried);
  expect(half.search.tried).toBeLessThan(whole.search.tried);
  expect(half.search.used).toBeLessThan(0.75 * whole.search.used);
  // Settings that may still be the best were compared on all users, other settings on the first users only.
  expect(new Set(whole.candidates.map(({ users }) => users))).toEqual(new Set([10, 20, 40, 80]));
  expect(whole.candidates[0]?.users).toBe(80);
});

test('a setting that is better for a few users does not win over one that is better for all', () => {
  const [first, steady, lucky] = coarseGrid.dense as unknown as [OperatorSetting, OperatorSetting, OperatorSetting];
  const recallOf = new Map<OperatorSetting, (user: number) => number>([
    [first, () => 0.1], [steady, () => 0.11], [lucky, (user) => (user === 0 ? 0.7 : 0.099)],
  ]);
  const measured = (settings: readonly OperatorSetting[], users: Int32Array): Float64Array[] =>
    settings.map((setting) => Float64Array.from({ length: 2 * users.length }, (_, at) => (at % 2 === 0 ? (recallOf.get(setting)?.(at / 2) ?? 0) : 0)));
  const results = new Results({ measure: measured }, Int32Array.from({ length: 40 }, (_, at) => at), () => {});
  results.measure([first, steady, lucky], 40);
  expect(results.candidates().map((candidate) => candidate['recall@20'])).toEqual([
    expect.closeTo(0.1), expect.closeTo(0.11), expect.closeTo(0.114),
  ]);
  expect(results.best([lucky, steady, first], first)).toBe(steady);
  expect(results.best([first], first)).toBe(first);
  expect(results.best([lucky, first], first, 0.5)).toBe(lucky);
  expect(results.contenders([first, steady, lucky], 1)).toEqual([lucky]);
});

test('of a larger split whole users are kept, those who decide first', () => {
  const pointer = Float64Array.of(0, 2, 5, 6, 9);
  const train = { pointer, index: Int32Array.from({ length: 9 }, (_, at) => at), time: Float64Array.from({ length: 9 }, (_, at) => 10 * at) };
  const split = { train, test: { pointer, index: new Int32Array(9) } };
  expect(sampleUsers(split, Int32Array.of(3, 0), 9, 1).train).toBe(train);
  const { train: kept, users } = sampleUsers(split, Int32Array.of(3, 0), 4, 1);
  expect([...kept.pointer]).toEqual([0, 2, 2, 2, 5]);
  expect([...kept.index]).toEqual([0, 1, 6, 7, 8]);
  expect([...kept.time]).toEqual([0, 10, 60, 70, 80]);
  expect([...users]).toEqual([3, 0]);
});

test('a profile’s scores are the sums of the operator’s rows, computed densely', () => {
  const random = createRandom(8);
  const pairs = Array.from({ length: 40 }, (_, user) => {
    const own = Array.from({ length: 30 }, (_, item) => item).filter(() => random.uniform() < 0.25);
    return own.map((item): PairRow => [`u${user}`, `i${String(item).padStart(2, '0')}`]);
  }).flat();
  const data = trainingData([], pairs);
  const history = buildHistory(data, numberItems(data));
  const interactions = toInteractions(history, 30);
  const factors = factorise(interactions, -0.5, 1, () => {});
  const scorer = new ProfileScorer(interactions, factors, -0.5, new Int32Array(30));
  const narrow = { pu: -0.5, pa: -0.65, pb: -0.2, T: 3, b: 0.3 };
  const workspace = new Workspace();
  const ridge = computeRidge({ ...interactions, workspace }, 3);
  scorer.useMatrices(ridge);
  // An item has one of three attributes, so a cosine is 1 or 0.
  scorer.useContent(contentVectors({ pointer: Float64Array.from({ length: 31 }, (_, item) => item), index: Int32Array.from({ length: 30 }, (_, item) => item % 3) }, Float64Array.of(2, 1, 0)));
  const settings: OperatorSetting[] = [{ ...narrow, allPairs: true, ridge: 0.4, lambda: 3 }, { ...narrow, allPairs: true, content: 0.7 }, { ...narrow, content: 0.2 }, narrow, { ...narrow, b: 1 }, { ...narrow, T: -1, b: 2, allPairs: true }, { ...narrow, T: -1, allPairs: true }, { ...narrow, T: 1 }];
  const regression = (i: number, j: number): number => ridge.values[(ridge.place[i] as number) * ridge.stride + (ridge.place[j] as number)] ?? 0;
  // The second time, the scorer has the terms of the users in memory.
  for (const user of [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]) {
    const items = history.index.subarray(history.pointer[user], history.pointer[user + 1]);
    const weights = Float64Array.from(items, (_, place) => 1 / (place + 1));
    scorer.begin(user, items, weights);
    for (const setting of settings) {
      const dense = denseOperator(interactions, factors, setting);
      scorer.score(scoredSetting(setting));
      expect(scorer.count).toBeGreaterThan(10);
      const candidates = [...scorer.candidates.subarray(0, scorer.count)];
      expect(new Set(candidates).size).toBe(scorer.count);
      if (setting.allPairs === true) expect(scorer.count).toBe(30);
      for (const [place, item] of candidates.entries()) {
        if (items.includes(item)) {
          expect(scorer.value[place]).toBe(0);
          continue;
        }
        const expected = items.reduce((sum, seen, at) => sum + (weights[at] as number) * (dense(seen, item) + (setting.ridge ?? 0) * regression(seen, item) + (seen % 3 === item % 3 ? setting.content ?? 0 : 0)), 0);
        // Quantised vectors are exact to about 1e-5 of their length.
        expect(scorer.value[place]).toBeCloseTo(expected, 4);
      }
      const list = scorer.best(20);
      expect(items.some((item) => list.includes(item))).toBe(false);
    }
  }
});

test('the terms of histories are kept until the memory is full', () => {
  const memory = new ProfileMemory();
  const part = (count: number): ProfilePart => ({
    pa: 0, allPairs: false, items: new Int32Array(count), reached: { items: new Int32Array(0), sums: new Float32Array(0), best: 0, work: 0 },
    projection: new Float32Array(0), low: null, high: [],
  });
  const half = profileBytes.most / 2 / (2 * Int32Array.BYTES_PER_ELEMENT);
  memory.keep(memory.of(1, false), part(half));
  memory.keep(memory.of(2, false), part(half + 1));
  memory.keep(memory.of(4, true), part(1));
  memory.keep(memory.of(3, false), part(half));
  // The fourth history is not needed again.
  expect([1, 2, 3, 4].map((key) => memory.of(key, false).parts.length)).toEqual([1, 0, 1, 0]);
  const [kept] = memory.of(1, false).parts;
  memory.keepHigh(kept as ProfilePart, 3, new Float32Array(1));
  memory.keepLow(memory.of(1, false), new Float32Array(1));
  expect(kept?.high).toEqual([]);
  expect(memory.of(1, false).lowOfCompared).toBeNull();
  memory.forget();
  memory.keep(memory.of(2, false), part(half + 1));
  expect([1, 2].map((key) => memory.of(key, false).parts.length)).toEqual([0, 1]);
});

function denseOperator(
  { rows, users, userDegree, itemDegree }: ReturnType<typeof toInteractions>,
  { rank, vectors, eigenvalues, largestEigenvalue }: ReturnType<typeof factorise>,
  { pu, pa, pb, T, b, allPairs }: OperatorSetting,
): (i: number, j: number) => number {
  const has = (user: number, item: number): boolean => rows.index.subarray(rows.pointer[user], rows.pointer[user + 1]).includes(item);
  return (i, j) => {
    const [di, dj] = [itemDegree[i] as number, itemDegree[j] as number];
    if (di < 2 && allPairs !== true) return 0;
    let common = 0;
    for (let user = 0; user < users; user++) if (has(user, i) && has(user, j)) common += (userDegree[user] as number) ** pu;
    let damped = common / Math.sqrt(di * dj) / largestEigenvalue;
    let plain = 0;
    for (let k = 0; k < rank; k++) {
      const product = (vectors[i * rank + k] as number) * (vectors[j * rank + k] as number);
      const s = eigenvalues[k] as number;
      damped += product * s * (Math.exp(-T * s) - 1);
      plain += product;
    }
    return di ** (pa + 0.5) * damped * dj ** (pb + 0.5) + b * di ** -0.5 * plain * dj ** 0.5;
  };
}
