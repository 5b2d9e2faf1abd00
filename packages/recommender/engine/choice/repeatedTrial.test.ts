import { describe, expect, test } from 'vitest';
import { numberItems } from '../catalogue/numberItems.ts';
import { countEvaluated, drawHeldOut, evaluatedUsers } from '../evaluation/heldOutUsers.ts';
import { splitHistory } from '../evaluation/splitHistory.ts';
import { Workspace } from '../kernels/workspace.ts';
import { createRandom } from '../linear/random.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { trainingData, type PairRow } from '../../testing/testData.ts';
import { countDraws, holdOut } from './holdOut.ts';
import { drawOf, ofDraws, RepeatedTrial } from './repeatedTrial.ts';
import { Results } from './results.ts';
import { starts } from './settingGrid.ts';
import { Trial } from './trial.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

const items = 60;

/** Users of three tastes, each with this many items of 60, without times unless `timed`. */
function tastes(users: number, perUser: number, timed = false): ReturnType<typeof trainingData> {
  const random = createRandom(11);
  const pairs = Array.from({ length: users }, (_, user) => {
    const own = new Set<number>();
    while (own.size < perUser) own.add(((user % 3) * 20 + Math.floor(26 * random.uniform())) % items);
    return [...own].map((item, at): PairRow => (timed ? [`u${user}`, `i${item}`, at] : [`u${user}`, `i${item}`]));
  });
  return trainingData([], pairs.flat());
}

const rowOf = ({ pointer, index }: SparseRows, user: number): number[] => [...index.subarray(pointer[user], pointer[user + 1])];

describe('a further draw of held-out items', () => {
  test.each([[90, 12], [400, 6]])('holds other items of the same users out (%d users with %d items)', (users, perUser) => {
    const data = tastes(users, perUser);
    const catalogue = numberItems(data);
    const whole = buildHistory(data, catalogue);
    const [first, second] = [holdOut(whole, catalogue, 1), holdOut(whole, catalogue, 1, 1)];
    expect(second.users).toEqual(first.users);
    const same = [...first.users].filter((user) => rowOf(first.test, user).join() === rowOf(second.test, user).join());
    // One of about ten items is the same by chance.
    expect(same.length).toBeLessThan(0.35 * first.users.length);
    expect(same.length).toBeGreaterThan(0);
    for (const user of first.users) expect(rowOf(second.test, user).length).toBe(rowOf(first.test, user).length);
  });

  test.each([[90, 12], [400, 6]])('hides what the evaluation measures (%d users with %d items)', (users, perUser) => {
    const data = tastes(users, perUser);
    const catalogue = numberItems(data);
    const whole = buildHistory(data, catalogue);
    const evaluated = splitHistory(whole, catalogue, 1);
    const { train } = holdOut(whole, catalogue, 1, 1);
    for (const user of drawHeldOut(evaluated.test, countEvaluated(evaluated), 2)) {
      for (const item of rowOf(evaluated.test, user)) expect(rowOf(train, user)).not.toContain(item);
    }
    expect(evaluatedUsers).toBeGreaterThan(users);
  });

  test('is made only of few users without times, and of few interactions', () => {
    expect(countDraws(35_000, 586, false)).toBe(3);
    expect(countDraws(15_000, 828, false)).toBe(2);
    expect(countDraws(15_000, 100, false)).toBe(3);
    expect(countDraws(15_000, 828, true)).toBe(1);
    expect(countDraws(49_000, 1500, false)).toBe(1);
    expect(countDraws(50_001, 828, false)).toBe(1);
  });
});

describe('a trial with several draws', () => {
  const data = tastes(90, 12);
  const catalogue = numberItems(data);
  const whole = buildHistory(data, catalogue);
  const draws = [0, 1, 2].map((draw) => holdOut(whole, catalogue, 1, draw));
  const trialOf = ({ train, test }: { train: typeof whole; test: SparseRows }): Trial => new Trial(toInteractions(train, items, new Workspace()), train, test, catalogue, 1);
  const [{ users }] = draws as [(typeof draws)[0]];
  const histories = ofDraws(users, 90, 3);
  const settings: OperatorSetting[] = [starts.dense, { ...starts.dense, T: 1 }];
  const joined = (parts: readonly Float64Array[]): number[] => parts.flatMap((part) => [...part]);

  test('numbers the histories draw by draw', () => {
    expect([...ofDraws(Int32Array.of(4, 2), 10, 3)]).toEqual([4, 2, 14, 12, 24, 22]);
    expect(drawOf(22, 10)).toEqual({ draw: 2, user: 2 });
  });

  test('gives the results of its draws, one after another', () => {
    const trial = new RepeatedTrial(draws.map(trialOf), 90);
    const parts = draws.map((draw) => trialOf(draw).measure(settings, users));
    expect(trial.measure(settings, histories).map((own) => [...own])).toEqual(settings.map((_, at) => joined(parts.map((part) => part[at] as Float64Array))));
    expect(new Set(parts.map(([own]) => joined([own as Float64Array]).join())).size).toBe(3);
    const results = new Results(trial, histories, () => {});
    results.measure(settings, 100);
    results.measure(settings, histories.length);
    expect(results.candidates().map(({ users: count }) => count)).toEqual([270, 270]);
    const mean = parts.reduce((sum, [own]) => sum + (own as Float64Array).reduce((all, value, at) => all + (at % 2 === 0 ? value : 0), 0), 0) / 270;
    expect(results.candidates()[0]?.['recall@20']).toBeCloseTo(mean, 12);
  });

  test('measures a mixture and served rows as its draws do', () => {
    const trial = new RepeatedTrial(draws.map(trialOf), 90);
    const plain = { ...starts.dense, allPairs: true };
    const als = [{ rounds: 2, confidence: 40 }];
    const mixture = { ...plain, ridge: 1, lambda: 60, als: 0.5 };
    const lists = trial.summandsOf(plain, 60, histories, 50, als);
    const own = draws.map((draw) => {
      const single = trialOf(draw);
      const summands = single.summandsOf(plain, 60, users, 50, als);
      return { scale: summands.scale, results: single.measureMixture(mixture, summands), served: single.measureServed(mixture, users) };
    });
    expect(lists.scale).toEqual(own[0]?.scale);
    expect([...trial.measureMixture(mixture, lists)]).toEqual(joined(own.map(({ results }) => results)));
    expect([...trial.measureServed(mixture, histories)]).toEqual(joined(own.map(({ served }) => served)));
    expect(trial.furtherAls(plain.pu, { rounds: 2, confidence: 40 })).toBe(0);
    expect(trial.servedWork(mixture, histories)).toBeGreaterThan(2 * trialOf(draws[0] as (typeof draws)[0]).servedWork(mixture, users));
  });
});
