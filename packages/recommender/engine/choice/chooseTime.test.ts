import { expect, test } from 'vitest';
import { defaultSetting } from '../data/defaultSetting.ts';
import type { OperatorSetting } from '../data/trainingData.ts';
import { chooseTime, horizonEnds } from './chooseTime.ts';

const users = Int32Array.from({ length: 40 }, (_, user) => user);

/** The choice, if the recall of each way (without time, recency, shares .3, .5 and .7) at the three horizons is as given. */
function choose(recalls: readonly (readonly [item: number, session: number, all: number])[], noise = 0): OperatorSetting {
  const added: OperatorSetting[] = [];
  const wayOf = ({ recency, transitions = 0 }: OperatorSetting): number => (recency === true ? 1 + [0, 0.3, 0.5, 0.7].indexOf(transitions) : 0);
  const trial = {
    measureHorizons: (settings: readonly OperatorSetting[]): Float64Array[][] => settings.map((setting) => (recalls[wayOf(setting)] ?? [0, 0, 0]).map((recall) => (
      Float64Array.from({ length: 2 * users.length }, (_, at) => (at % 2 === 0 ? recall + (at % 4 === 0 ? noise : -noise) * wayOf(setting) : 0))))),
  };
  const chosen = chooseTime(trial, { add: (setting) => added.push(setting) }, defaultSetting, users, [users, users, users]);
  expect(added).toHaveLength(5);
  return chosen;
}

test('a larger share of the latest interaction must be better at every horizon', () => {
  const [flat, recent] = [[0.1, 0.1, 0.1], [0.11, 0.11, 0.11]] as const;
  expect(choose([flat, recent, [0.2, 0.2, 0.12], [0.3, 0.3, 0.13], [0.4, 0.4, 0.14]])).toMatchObject({ ...defaultSetting, recency: true, transitions: 0.7 });
  // Better for the next item and the next session only, for all items but not for the next session, and not at all.
  expect(choose([flat, recent, [0.2, 0.2, 0.12], [0.3, 0.3, 0.12], [0.4, 0.4, 0.11]])).toMatchObject({ transitions: 0.3 });
  expect(choose([flat, recent, [0.2, 0.2, 0.12], [0.3, 0.2, 0.13], [0.2, 0.3, 0.14]])).toMatchObject({ transitions: 0.3 });
  expect(choose([flat, flat, flat, flat, flat])).toMatchObject({ recency: false, transitions: 0 });
});

test('a gain within the error of all held-out items does not count', () => {
  const gains = [[0.1, 0.1, 0.1], [0.2, 0.2, 0.101], [0.2, 0.2, 0.101], [0.2, 0.2, 0.101], [0.2, 0.2, 0.101]] as const;
  expect(choose(gains)).toMatchObject({ recency: true, transitions: 0 });
  expect(choose(gains, 0.05)).toMatchObject({ recency: false });
});

test('the first users leave the ways to all users that they do not tell apart', () => {
  const many = Int32Array.from({ length: 1800 }, (_, user) => user);
  const measuredOn = new Map<number, number>();
  // Recall by share of transitions: .3 and .5 are level on the first users, up to chance, and .5 is better on the others. Without recency and with .7, lists are clearly worse.
  const recallOf = ({ recency, transitions = 0 }: OperatorSetting, user: number): number => {
    if (recency !== true || transitions === 0.7) return 0.1;
    const chance = user % 2 === 0 ? 0.05 : -0.05;
    return 0.3 + (transitions === 0.5 ? chance + (user < 500 ? 0 : 0.1) : 0);
  };
  const trial = {
    measureHorizons: (settings: readonly OperatorSetting[], users: Int32Array, ends: readonly Int32Array[]): Float64Array[][] => {
      for (const { recency, transitions = 0 } of settings) {
        const way = recency === true ? transitions : -1;
        measuredOn.set(way, (measuredOn.get(way) ?? 0) + users.length);
      }
      expect(ends.every((end) => end.length === users.length)).toBe(true);
      return settings.map((setting) => ends.map(() => Float64Array.from([...users].flatMap((user) => [recallOf(setting, user), 0]))));
    },
  };
  const added = new Map<OperatorSetting, number>();
  const chosen = chooseTime(trial, { add: (setting, results) => added.set(setting, results.length / 2) }, defaultSetting, many, [many, many, many]);
  expect(chosen).toMatchObject({ recency: true, transitions: 0.5 });
  expect([...measuredOn]).toEqual([[-1, 500], [0, 1800], [0.3, 1800], [0.5, 1800], [0.7, 500]]);
  expect([...added.values()].sort((a, b) => b - a)).toEqual([1800, 1800, 1800, 500, 500]);
});

test('the next session ends before a pause of more than half an hour', () => {
  const minute = 60_000;
  // Two users: three known items and four held-out items; one known and one held-out item.
  const time = Float64Array.of(0, 1, 2, 100, 120, 151, 160, 0, 500).map((at) => at * minute);
  const whole = { pointer: Float64Array.of(0, 7, 9), index: new Int32Array(9), time };
  const rows = (...pointer: number[]) => ({ pointer: Float64Array.from(pointer), index: new Int32Array(pointer.at(-1) ?? 0) });
  expect(horizonEnds(whole, rows(0, 3, 4), rows(0, 4, 5), Int32Array.of(1, 0)).map((ends) => [...ends])).toEqual([[1, 1], [1, 2], [1, 4]]);
});
