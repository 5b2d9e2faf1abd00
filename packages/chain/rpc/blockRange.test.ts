import { describe, expect, it } from 'vitest';
import { BlockRange } from './blockRange.ts';

/** Reads `blocks` blocks from an endpoint that refuses more than `limit` at once. */
function read(range: BlockRange, blocks: number, limit: number): { answered: number; refused: number } {
  let [answered, refused] = [0, 0];
  for (let left = blocks; left > 0;) {
    const asked = Math.min(range.blocks, left);
    if (asked > limit) {
      refused += 1;
      range.refused(asked);
    } else {
      answered += 1;
      range.answered(asked);
      left -= asked;
    }
  }
  return { answered, refused };
}

describe('the range of a query', () => {
  it.each([1, 2, 3, 10, 100, 499])('comes to the %i blocks that an endpoint answers, and is refused ever less often', (limit) => {
    const range = new BlockRange(500);
    const first = read(range, 100 * limit, limit);
    expect(first.answered).toBeLessThan(120);
    expect(first.refused).toBeLessThan(30);
    const later = read(range, 1_000 * limit, limit);
    expect(later.answered).toBeLessThan(1_005);
    expect(later.refused).toBeLessThan(25);
  });

  it('is the whole one where nothing is refused, and again after an endpoint that refused was only busy', () => {
    const range = new BlockRange(500);
    expect(read(range, 5_000, Infinity)).toEqual({ answered: 10, refused: 0 });
    for (let query = 0; query < 9; query += 1) range.refused(range.blocks);
    expect(range.blocks).toBe(1);
    read(range, 1_100, Infinity);
    expect(range.blocks).toBe(500);
  });

  it('does not grow with shorter queries at the end of a scan', () => {
    const range = new BlockRange(500);
    range.refused(500);
    range.answered(3);
    expect(range.blocks).toBe(250);
  });
});
