import { describe, expect, it } from 'vitest';
import { tastePieces, type TasteShape } from './generateTastes.ts';

const shape: TasteShape = { users: 400, items: 1_000, perUser: 20, seed: 3 };
const rowsOf = (wanted: TasteShape): string[][] => [...tastePieces(wanted)].join('').trimEnd().split('\n').slice(1).map((line) => line.split(','));

describe('generated tastes', () => {
  it('are the same bytes for the same shape, and others for another seed', () => {
    const text = [...tastePieces(shape)].join('');
    expect([...tastePieces(shape)].join('') === text).toBe(true);
    expect([...tastePieces({ ...shape, seed: 4 })].join('') === text).toBe(false);
  });

  it('have about the interactions a user that were asked for, each pair once, in time order', () => {
    const rows = rowsOf(shape);
    expect(rows.length / shape.users).toBeGreaterThan(0.8 * shape.perUser);
    expect(rows.length / shape.users).toBeLessThan(1.2 * shape.perUser);
    expect(new Set(rows.map(([, user, item]) => `${user} ${item}`)).size).toBe(rows.length);
    rows.forEach(([, user, , time], at) => {
      const [, before, , earlier] = rows[at - 1] ?? [];
      if (before === user && Number(earlier) > Number(time)) throw new Error(`row ${at} goes back in time`);
    });
  });

  it('follow series more often than chance', () => {
    const rows = rowsOf(shape);
    const next = rows.filter(([, user, item], at) => rows[at - 1]?.[1] === user && Number(item?.slice(1)) === Number(rows[at - 1]?.[2]?.slice(1)) + 1);
    expect(next.length / rows.length).toBeGreaterThan(0.05);
  });

  it('have a tail: a tenth of the items has more than a third of the interactions', () => {
    const counts = new Map<string, number>();
    for (const [, , item = ''] of rowsOf(shape)) counts.set(item, (counts.get(item) ?? 0) + 1);
    const sorted = [...counts.values()].sort((a, b) => b - a);
    const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
    expect(sum(sorted.slice(0, shape.items / 10)) / sum(sorted)).toBeGreaterThan(0.33);
  });
});
