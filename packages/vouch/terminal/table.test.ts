import { expect, test } from 'vitest';
import { formatTable } from './table.ts';

test('columns are as wide as their widest cell and numbers stand to the right', () => {
  expect(formatTable('Prices', ['item', 'price'], [['tea', 2], ['a kettle', 40]])).toBe(
    ['Prices', 'item      price', '────────  ─────', 'tea           2', 'a kettle     40'].join('\n'),
  );
});

test('control characters of uploaded names never reach the terminal', () => {
  expect(formatTable('', ['name'], [['\u001b]0;owned\u0007']])).not.toMatch(/\p{Cc}(?<!\n)/u);
});

test('columns line up on the terminal below Japanese, Thai and emoji, and directions of a name do not reorder its row', () => {
  const rows = [['長い夜の物語', 1], ['ก็', 2], ['👨‍👩‍👧‍👦', 3], ['e\u0301', 4], ['\u2068الليل\u2069', 5], ['𠮷野家', 6], ['❤️', 7]];
  expect(formatTable('', ['name', '#'], rows).split('\n')).toEqual([
    'name          #', '────────────  ─', '長い夜の物語  1', 'ก็             2', '👨‍👩‍👧‍👦            3', 'e\u0301             4', '\u2068الليل\u2069         5', '𠮷野家        6', '❤️            7',
  ]);
  expect(formatTable('', ['name'], [['Night \u202E\u2067thgin']])).toContain('Night thgin');
  expect(formatTable('', ['name'], [['夜'.repeat(60)]])).toMatch(/\n夜{39}…$/);
});
