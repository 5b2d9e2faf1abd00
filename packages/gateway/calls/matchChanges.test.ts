import { expect, it } from 'vitest';
import { matchChanges } from './matchChanges.ts';

const alone = (...calls: string[]): string[][][] => calls.map((call) => [[call]]);
/** An entry that replaces a node if the set is full. */
const replacing = [['exit 1', 'enter 2'], ['enter 2']];

it('matches what occurs in the same order, the earlier of two alike', () => {
  expect(matchChanges(alone('enter', 'exit', 'enter'), ['exit', 'enter'])).toEqual([false, true, true]);
  expect(matchChanges(alone('enter', 'exit', 'enter'), ['enter'])).toEqual([true, false, false]);
  expect(matchChanges(alone('a', 'b', 'a'), ['b', 'a'])).toEqual([false, true, true]);
  expect(matchChanges(alone('a', 'a'), ['a'])).toEqual([true, false]);
});

it('passes over what nothing wants', () => {
  expect(matchChanges(alone('claimer'), ['exit', 'claimer'])).toEqual([true]);
  expect(matchChanges([], ['exit'])).toEqual([]);
  expect(matchChanges(alone('exit'), [])).toEqual([false]);
  expect(matchChanges([[]], ['exit'])).toEqual([false]);
});

it('gives the event of a replaced node to the entry that replaced it', () => {
  expect(matchChanges([replacing, [['exit 1']]], ['exit 1', 'enter 2'])).toEqual([true, false]);
  // The set had a free place.
  expect(matchChanges([replacing, [['exit 1']]], ['enter 2', 'exit 1'])).toEqual([true, true]);
  expect(matchChanges([[['exit 1']], replacing], ['exit 1', 'enter 2'])).toEqual([true, true]);
  // The exit was refused, or the entry.
  expect(matchChanges([[], replacing], ['exit 1', 'enter 2'])).toEqual([false, true]);
  expect(matchChanges([replacing, [['exit 1']]], ['exit 1'])).toEqual([false, true]);
  // The node entered first, and was replaced then.
  expect(matchChanges([[['exit 1']], [['enter 1']], replacing], ['enter 1', 'exit 1', 'enter 2'])).toEqual([false, true, true]);
});
