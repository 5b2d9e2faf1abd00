import { expect, test } from 'vitest';
import { collectIds } from './callServer.ts';

test('ids are separated by commas, keep commas, quotes and blanks within double quotes, and repeat in their order', () => {
  expect(collectIds('f1, f2,,f1')).toEqual(['f1', 'f2', 'f1']);
  expect(collectIds('"bolt, M6",bolt 20," bolt 20 "', ['a'])).toEqual(['a', 'bolt, M6', 'bolt 20', ' bolt 20 ']);
  expect(collectIds('"say ""hi"""')).toEqual(['say "hi"']);
  expect(() => collectIds('f1,"f2')).toThrow('A double quote is not closed.');
});
