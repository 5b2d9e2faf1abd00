import { describe, expect, it } from 'vitest';
import { entityPieces, interactionPieces, powerLawRank, type CatalogueShape } from './generate.ts';

const shape: CatalogueShape = { items: 2_000, users: 500, interactions: 20_000, seed: 3 };
const lines = (pieces: Iterable<string>): string[] => [...pieces].join('').trimEnd().split('\n');

describe('the synthetic catalogue', () => {
  it('has exactly the rows it was asked for, of ids in range', () => {
    expect(lines(entityPieces(shape)).length).toBe(1 + shape.items);
    const rows = lines(interactionPieces(shape)).slice(1).map((line) => line.split(','));
    expect(rows.length).toBe(shape.interactions);
    for (const [, user = '', item = ''] of rows) {
      if (!(Number(user.slice(1)) < shape.users) || !(Number(item.slice(1)) < shape.items)) throw new Error(`${user} ${item}`);
    }
  });

  it('gives the same bytes for the same shape, and others for another seed', () => {
    const text = [...interactionPieces(shape)].join('');
    expect([...interactionPieces(shape)].join('') === text).toBe(true);
    expect([...interactionPieces({ ...shape, seed: 4 })].join('') === text).toBe(false);
  });

  it('comes in pieces of bounded length', () => {
    for (const piece of interactionPieces({ ...shape, messy: true })) expect(piece.length).toBeLessThan(66_000);
  });

  it('follows a power law: the first tenth of the items has most of the interactions', () => {
    let first = 0;
    for (let draw = 0; draw < 10_000; draw++) if (powerLawRank((draw + 0.5) / 10_000, 1_000, 0.8) < 100) first++;
    // (101^0.2 - 1) / (1001^0.2 - 1) = 0.509
    expect(first).toBeGreaterThan(4_950);
    expect(first).toBeLessThan(5_250);
    expect(powerLawRank(0, 10, 0.8)).toBe(0);
    expect(powerLawRank(1 - 2 ** -32, 10, 0.8)).toBe(9);
  });

  it('mixes five kinds of timestamps in where it is messy', () => {
    const rows = lines(interactionPieces({ ...shape, messy: true })).slice(1, 6);
    expect(rows.map((row) => row.split(',')[3]?.replaceAll(/\d/g, '9'))).toEqual([
      '9999999999', '9999999999999', '9999-99-99T99:99:99.999Z', '9999-99-99T99:99:99', '',
    ]);
  });
});
