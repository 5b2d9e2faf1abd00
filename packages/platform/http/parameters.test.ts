import { describe, expect, it } from 'vitest';
import { parseIdentifiers, parseTags } from './parameters.ts';

describe('parseTags', () => {
  it.each([
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    [' a , ,b,', ['a', 'b']],
    [['a', 'b'], ['a', 'b']],
    [['a,b', 'c'], ['a', 'b', 'c']],
    ['["a","b"]', ['a', 'b']],
    [' ["a, b" , "c"] ', ['a', 'b', 'c']],
    [['["a"]', 'b'], ['a', 'b']],
    ['[]', []],
    ['', []],
    [[], []],
    ['a,a,A', ['a', 'A']],
    ['[odd', ['[odd']],
    ['é,日本', ['é', '日本']],
  ])('reads %j as %j', (value, expected) => {
    expect(parseTags(value)).toEqual(expected);
  });

  it.each([[5], [null], [{}], [['a', 5]], ['["a",5]'], ['[["a"]]']])('refuses %j', (value) => {
    expect(parseTags(value)).toBeNull();
  });
});

describe('parseIdentifiers', () => {
  it.each([
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    [' a , b ', ['a', 'b']],
    ['"a,b",c', ['a,b', 'c']],
    [' "a,b" , c', ['a,b', 'c']],
    ['"say ""hi""",x', ['say "hi"', 'x']],
    ['"line\nbreak"', ['line\nbreak']],
    ['" kept blanks "', [' kept blanks ']],
    ['5" disc', ['5" disc']],
    [['a,b', '"c,d"', 'a'], ['a', 'b', 'c,d']],
    ['a,,b,', ['a', 'b']],
    ['\uFEFFa,\u00A0b\u00A0 ,\u3000"c\u3000', ['\uFEFFa', '\u00A0b\u00A0', '\u3000"c\u3000']],
    [`a${' '.repeat(60_000)}b `, [`a${' '.repeat(60_000)}b`]],
    ['""', []],
    ['', []],
  ])('reads %j as %j', (value, expected) => {
    expect(parseIdentifiers(value)).toEqual(expected);
  });

  it.each([['"a'], ['a,"b'], ['"a"b'], ['"a""'], [5], [['a', null]]])('refuses %j', (value) => {
    expect(parseIdentifiers(value)).toBeNull();
  });

  it('reads a list as long as the header limit', () => {
    const ids = Array.from({ length: 8000 }, (_, index) => `"i,${index}"`);
    expect(parseIdentifiers(ids.join(','))).toHaveLength(8000);
    expect(parseIdentifiers('"'.repeat(65_535))).toBeNull();
  });
});
