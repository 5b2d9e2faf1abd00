import { expect, it } from 'vitest';
import { compareLists } from './compareLists.ts';

it('names removed and added items, counts items at other ranks, and gives the share of kept items', () => {
  expect(compareLists(['a', 'b', 'c', 'd'], ['a', 'c', 'b', 'e'])).toEqual({ removed: ['d'], added: ['e'], moved: 2, overlap: 0.75 });
  expect(compareLists(['a', 'b'], ['a', 'b'])).toEqual({ removed: [], added: [], moved: 0, overlap: 1 });
  expect(compareLists(['a', 'b'], [])).toEqual({ removed: ['a', 'b'], added: [], moved: 0, overlap: 0 });
  expect(compareLists([], ['a'])).toEqual({ removed: [], added: ['a'], moved: 0, overlap: 0 });
  expect(compareLists([], [])).toEqual({ removed: [], added: [], moved: 0, overlap: 1 });
});
