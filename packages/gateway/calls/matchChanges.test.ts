import { expect, it } from 'vitest';
import { matchChanges } from './matchChanges.ts';

it('matches what occurs in the same order, the earlier of two alike', () => {
  expect(matchChanges(['enter', 'exit', 'enter'], ['exit', 'enter'])).toEqual([false, true, true]);
  expect(matchChanges(['enter', 'exit', 'enter'], ['enter'])).toEqual([true, false, false]);
  expect(matchChanges(['a', 'b', 'a'], ['b', 'a'])).toEqual([false, true, true]);
  expect(matchChanges(['a', 'a'], ['a'])).toEqual([true, false]);
  expect(matchChanges([null, 'a'], ['a'])).toEqual([false, true]);
});

it('passes over what nothing wants', () => {
  expect(matchChanges(['claimer'], ['exit', 'claimer'])).toEqual([true]);
  expect(matchChanges(['enter 2', 'claimer 1'], ['enter 2', 'exit 1', 'claimer 1'])).toEqual([true, true]);
  expect(matchChanges([], ['exit'])).toEqual([]);
  expect(matchChanges(['exit'], [])).toEqual([false]);
  expect(matchChanges([null], ['exit'])).toEqual([false]);
});
