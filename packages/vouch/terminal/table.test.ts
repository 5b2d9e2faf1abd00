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
