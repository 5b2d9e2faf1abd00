import { expect, it } from 'vitest';
import { shorten, shortenJson } from './shorten.ts';

it('a shortened value of JSON keeps its closing quote or bracket', () => {
  expect(shortenJson(JSON.stringify('x'.repeat(100)), 12)).toBe('"xxxxxxxxx…"');
  expect(shortenJson(JSON.stringify([1, 22, 333, 4444]), 10)).toBe('[1,22,33…]');
  expect(shortenJson(JSON.stringify({ name: 'x'.repeat(20) }), 14)).toBe('{"name":"xxx…}');
  expect(shortenJson('"short"', 7)).toBe('"short"');
});

it('no cut goes through an escape sequence or a character', () => {
  for (const value of ['a'.repeat(40), '"'.repeat(40), '\\'.repeat(40), '\u0000'.repeat(40), '😀'.repeat(40), 'a"\\\u0001😀'.repeat(10)]) {
    for (let length = 4; length <= 40; length++) {
      const shown = shortenJson(JSON.stringify(value), length);
      expect(shown.length, shown).toBeLessThanOrEqual(length);
      const kept = (JSON.parse(shown) as string).replace(/…$/, '');
      expect(value.startsWith(kept) && kept.isWellFormed(), shown).toBe(true);
      expect(shorten(value, length).isWellFormed()).toBe(true);
    }
  }
});
