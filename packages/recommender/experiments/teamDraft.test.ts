import { seededRandom } from '@vouch/platform/process/seededRandom';
import { expect, it } from 'vitest';
import { chooseArm } from './chooseArm.ts';
import { teamDraft } from './teamDraft.ts';

const draft = (a: readonly string[], b: readonly string[], limit: number, coin: () => boolean) =>
  teamDraft(a, b, { limit, idOf: (entry) => entry, coin }).map(({ entry, arm }) => `${arm}:${entry}`);

it('merges two rankings by turns, each item once, and the rest of the longer one', () => {
  expect(draft(['1', '2', '3'], ['2', '4'], 10, () => true)).toEqual(['a:1', 'b:2', 'a:3', 'b:4']);
  expect(draft(['1', '2', '3'], ['2', '4'], 10, () => false)).toEqual(['b:2', 'a:1', 'b:4', 'a:3']);
  expect(draft(['1', '2', '3'], [], 2, () => false)).toEqual(['a:1', 'a:2']);
  expect(draft(['1', '2'], ['1', '2'], 1, () => false)).toEqual(['b:1']);
  expect(draft([], [], 5, () => true)).toEqual([]);
});

it('gives both arms the same places: at the first place each in half of the lists, and never two more items than the other', () => {
  const random = seededRandom(5);
  const items = (from: number) => Array.from({ length: 20 }, (_, at) => String(from + at));
  let first = 0;
  let firstChoice = 0;
  for (let run = 0; run < 4000; run += 1) {
    const list = draft(items(0), items(5), 20, () => random.uniform() < 0.5);
    for (let end = 2; end <= 20; end += 2) expect(list.slice(0, end).filter((each) => each.startsWith('a')).length).toBe(end / 2);
    first += list[0]?.startsWith('a') === true ? 1 : 0;
    // An item that both arms have at the same place belongs to each in half of the lists.
    firstChoice += draft(['x', '1'], ['x', '2'], 3, () => random.uniform() < 0.5)[0] === 'a:x' ? 1 : 0;
  }
  // Four standard deviations.
  expect(Math.abs(first - 2000)).toBeLessThan(127);
  expect(Math.abs(firstChoice - 2000)).toBeLessThan(127);
});

it('splits users by their id and the run, by the share', () => {
  const users = Array.from({ length: 10_000 }, (_, at) => `user ${at}`);
  const inB = (run: string, share: number) => users.filter((user) => chooseArm(run, user, share) === 'b');
  for (const share of [0, 0.1, 0.5, 1]) expect(Math.abs(inB('one', share).length - 10_000 * share)).toBeLessThanOrEqual(200 * Math.sqrt(share * (1 - share)) * 2);
  expect(inB('one', 0.3)).toEqual(inB('one', 0.3));
  // A larger share adds users and moves none back; another run is independent.
  expect(inB('one', 0.5)).toEqual(expect.arrayContaining(inB('one', 0.1)));
  const both = inB('one', 0.5).filter((user) => chooseArm('two', user, 0.5) === 'b').length;
  expect(Math.abs(both - 2500)).toBeLessThan(175);
});
