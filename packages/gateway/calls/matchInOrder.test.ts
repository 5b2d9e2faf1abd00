import { expect, it } from 'vitest';
import { matchInOrder } from './matchInOrder.ts';

it('matches what occurs in the same order, the earlier of two alike', () => {
  expect(matchInOrder(['enter', 'exit', 'enter'], ['exit', 'enter'])).toEqual([false, true, true]);
  expect(matchInOrder(['enter', 'exit', 'enter'], ['enter'])).toEqual([true, false, false]);
  expect(matchInOrder(['a', 'b', 'a'], ['b', 'a'])).toEqual([false, true, true]);
  expect(matchInOrder(['a', 'a'], ['a'])).toEqual([true, false]);
});

it('passes over what nothing wants', () => {
  expect(matchInOrder(['claimer'], ['exit', 'claimer'])).toEqual([true]);
  expect(matchInOrder([], ['exit'])).toEqual([]);
  expect(matchInOrder(['exit'], [])).toEqual([false]);
});
