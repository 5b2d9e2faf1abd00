import { expect, it } from 'vitest';
import { wrapCaption } from './wrapCaption.ts';

it('lines of a dialogue stay apart, and other lines are joined to be wrapped to the width of the picture', () => {
  expect(wrapCaption('- Are you coming?\n- No.', 30)).toEqual(['- Are you coming?', '- No.']);
  expect(wrapCaption('— Ты идёшь со мной\nили нет?\n— Нет.', 30)).toEqual(['— Ты идёшь со мной или нет?', '— Нет.']);
  expect(wrapCaption('A line that is\ntoo long for a phone', 8)).toEqual(['A line that is too long for a phone']);
});

it('text without blanks has lines of similar length that fit the picture and divide no word', () => {
  const text = 'これは非常に長い字幕で、空白が全くないので画面の幅に収まるように改行されなければなりません。';
  const lines = wrapCaption(text, 12);
  expect(lines.join('')).toBe(text);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(12);
  expect(Math.min(...lines.map(({ length }) => length))).toBeGreaterThanOrEqual(7);
  expect(lines.filter((line) => /^[、。]/.test(line))).toEqual([]);
  expect(lines.some((line) => line.endsWith('画')), 'within 画面').toBe(false);
  const thai = wrapCaption('สวัสดีครับวันนี้เราไปตลาดด้วยกันนะครับผมชอบกินข้าวผัด', 12);
  expect(thai.length).toBeGreaterThan(1);
  expect(thai.filter((line) => /^\p{M}/u.test(line))).toEqual([]);
});

it('a word that is wider than the picture is divided between characters', () => {
  const lines = wrapCaption(`See https://example.com/${'a'.repeat(60)} 👨‍👩‍👧`, 16);
  expect(lines.length).toBeGreaterThan(2);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(40);
  expect(wrapCaption('👨‍👩‍👧'.repeat(9), 4).join('|').split('|').every((line) => /^(?:👨‍👩‍👧)+$/.test(line))).toBe(true);
});

it('words with blanks between them are left to the renderer', () => {
  expect(wrapCaption('The quick brown fox jumps over the lazy dog 漢字', 10)).toEqual(['The quick brown fox jumps over the lazy dog 漢字']);
});
