import { describe, expect, test } from 'vitest';
import { trainingData } from '../../../testing/testData.ts';
import { binNumbers } from './binNumbers.ts';
import { readAttributes } from './readAttributes.ts';

/** Attributes of items with the given metadata, as `field=text` per item. */
function attributesOf(metadata: readonly unknown[], names: readonly string[] = []): string[][] {
  const data = trainingData(
    metadata.map((value, n) => [`item-${String(n).padStart(5, '0')}`, 'film', names[n] ?? '', value]),
    [],
  );
  const { rows, field, text } = readAttributes(data.nodes, Int32Array.from({ length: metadata.length }, (_, n) => n));
  return metadata.map((_, n) =>
    Array.from(
      rows.index.subarray(rows.pointer[n], rows.pointer[n + 1]),
      (column) => `${field[column]}=${text[column]}`,
    ),
  );
}

describe('readAttributes', () => {
  test('reads values, members of lists, nested objects and truth values', () => {
    const film = { genre: ['Crime', 'Drama'], crew: { director: 'Varda' }, color: true, budget: null };
    expect(attributesOf([film, film])[0]).toEqual(['genre=Crime', 'genre=Drama', 'crew.director=Varda', 'color=true']);
  });

  test('leaves out what only one item has', () => {
    expect(attributesOf([{ a: 'x', b: 'y' }, { a: 'x', b: 'z' }])).toEqual([['a=x'], ['a=x']]);
  });

  test('compares values without regard to case and width, and shows the first spelling', () => {
    const all = attributesOf([{ a: 'Crime' }, { a: ' CRIME ' }, { a: 'ｃｒｉｍｅ' }]);
    expect(all).toEqual([['a=Crime'], ['a=Crime'], ['a=Crime']]);
  });

  test('reads names and texts over 64 characters word by word', () => {
    const plot = `${'a long tale about '.repeat(4)}whales`;
    const other = `${'nothing in common '.repeat(4)}WHALES`;
    const [first, second] = attributesOf([{ plot }, { plot: other }], ['Moby Dick', 'dick tracy']);
    expect(first).toEqual(['name=Dick', 'plot=whales']);
    expect(second).toEqual(first);
  });

  test.each([
    ['Hindi, with vowel signs', 'एक लंबी कहानी', 'छोटी कहानी', ['कहानी']],
    ['Thai, without blanks', 'กลางคืนอันยาวนาน', 'กลางคืนสั้น', ['กลาง', 'คืน']],
    ['Japanese, without blanks', '長い夜の物語', '猫の物語', ['物語']],
    ['Chinese, without blanks', '我喜欢漫长的电影', '她喜欢短电影', ['喜欢', '电影']],
    ['French, composed and decomposed', 'Le Récit', 'Un re\u0301cit', ['Récit']],
    ['Persian, with a non-joiner', 'او می\u200Cرود', 'کسی می\u200Cرود', ['می\u200Cرود']],
    ['Vietnamese, decomposed', 'Đêm da\u0300i'.normalize('NFD'), 'Ngày dài', ['dài']],
    ['Korean', '긴 밤의 이야기', '짧은 이야기', ['이야기']],
    ['English with digits', 'Bearing M10 x', 'screw m10 x', ['M10']],
  ])('reads words of %s', (_, one, other, shared) => {
    const [first, second] = attributesOf([{}, {}], [one, other]);
    expect(first?.toSorted()).toEqual(shared.map((word) => `name=${word}`).toSorted());
    expect(second?.toSorted()).toEqual(first?.toSorted());
  });

  test('reads long runs in pieces, and divides the beginning of a long text without blanks', () => {
    const [token, names] = ['x1'.repeat(50), `${'夜の街で'.repeat(1_000)}猫`];
    expect(attributesOf([{}, {}], [token, token])[0]).toEqual([`name=${'x1'.repeat(32)}`, `name=${'x1'.repeat(18)}`]);
    expect(attributesOf([{}, {}], [names, '猫'])[0]).toEqual([]);
    expect(attributesOf([{}, {}], [names, '夜'])[0]).toEqual(['name=夜']);
  });

  test('puts numbers into ten bins with about equally many items', () => {
    const all = attributesOf(Array.from({ length: 100 }, (_, n) => ({ year: 1900 + n })));
    expect(all[0]).toEqual(['year=1900–1909']);
    expect(all[99]).toEqual(['year=1990–1999']);
    expect(new Set(all.flat()).size).toBe(10);
  });

  test('counts an attribute once per item', () => {
    expect(attributesOf([{ a: ['x', 'x', 'X'] }, { a: 'x' }])).toEqual([['a=x'], ['a=x']]);
  });

  test('survives metadata that is empty, broken, no object, deep, or endless', () => {
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, 'v'])));
    const proto = '{"__proto__":"x"}';
    const all = attributesOf(['', '{', '[1,2]', '7', 'null', deep, deep, wide, wide, proto, proto]);
    expect(all.slice(0, 7).flat()).toEqual([]);
    expect(all[7]).toHaveLength(256);
    expect(all[9]).toEqual(['__proto__=x']);
  });
});

test('equal numbers are never parted by a bin', () => {
  const values = [...Array.from({ length: 50 }, () => 0), ...Array.from({ length: 50 }, (_, n) => n + 1)];
  const { bin, text } = binNumbers({ field: 'n', items: values.map((_, n) => n), values });
  expect(new Set(bin.subarray(0, 50)).size).toBe(1);
  expect(text[0]).toMatch(/^0/);
  expect(text).toHaveLength(6);
});
