import { describe, expect, it } from 'vitest';
import { chapters, deviations, notes } from './statements.ts';
import { suites } from './suites.ts';

const numbers = chapters.flatMap(({ says }) => Object.keys(says));
const rows = suites.flatMap((suite) => suite.rows);

describe('the statements of the specification', () => {
  it('each have a row', () => {
    expect(numbers.length).toBeGreaterThan(150);
    expect(numbers.filter((number) => !rows.some(({ statement }) => statement === number))).toEqual([]);
  });

  it('are what each row names', () => {
    expect(rows.filter(({ statement }) => !numbers.includes(statement)).map(({ statement, shows }) => `${statement}: ${shows}`)).toEqual([]);
  });

  it('have numbers of their own, in order, and rows that are told from each other', () => {
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const { says } of chapters) {
      const letter = Object.keys(says)[0]![0]!;
      expect(Object.keys(says)).toEqual(Object.keys(says).map((_, index) => `${letter}${index + 1}`));
    }
    const names = rows.map(({ statement, shows }) => `${statement}: ${shows}`);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('are there for each deviation, which says why, and for each note', () => {
    for (const number of [...Object.keys(deviations), ...Object.keys(notes)]) expect(numbers).toContain(number);
    for (const reason of Object.values(deviations)) expect(reason).toContain('because');
  });
});
