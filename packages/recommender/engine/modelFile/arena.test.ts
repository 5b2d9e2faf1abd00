import { describe, expect, test } from 'vitest';
import { Arena } from './arena.ts';

describe('an arena', () => {
  test('hands out stretches that do not touch, at multiples of 64 bytes, while they fit', () => {
    const arena = new Arena(200);
    const [first, second] = [arena.take(3), arena.take(64)];
    expect([first?.byteOffset, first?.length, second?.byteOffset, second?.length]).toEqual([0, 3, 64, 64]);
    expect(arena.take(73)).toBeNull();
    expect(arena.take(72)?.byteOffset).toBe(128);
    expect(arena.take(1)).toBeNull();
  });

  test('gives its memory back at once, also when told twice', () => {
    const arena = new Arena(64);
    const bytes = arena.take(64);
    arena.release();
    arena.release();
    expect([bytes?.length, bytes?.buffer.byteLength]).toEqual([0, 0]);
  });
});
