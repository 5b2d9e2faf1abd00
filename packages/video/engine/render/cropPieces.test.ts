import { expect, it } from 'vitest';
import { simplify } from './cropPieces.ts';

const offsetAt = (path: ReturnType<typeof simplify>, frame: number): number => {
  const next = path.findIndex((point) => point.frame >= frame);
  const [from, to] = [path[Math.max(0, next - 1)]!, path[next]!];
  return to.frame === from.frame ? to.offset : from.offset + ((to.offset - from.offset) * (frame - from.frame)) / (to.frame - from.frame);
};

it('a path has the points that the crop needs, and keeps jumps at their frame', () => {
  const offsets = [...Array<number>(50).fill(10), ...Array.from({ length: 50 }, (_, n) => 200 + 3 * n)];
  const path = simplify(offsets);
  expect(path).toEqual([{ frame: 0, offset: 10 }, { frame: 49, offset: 10 }, { frame: 50, offset: 200 }, { frame: 99, offset: 347 }]);
  expect(simplify([5])).toEqual([{ frame: 0, offset: 5 }]);
});

it('a path is at most a quarter pixel off, but never longer than a command allows', () => {
  const wave = Array.from({ length: 1000 }, (_, n) => 100 + 80 * Math.sin(n / 70));
  const path = simplify(wave);
  expect(path.length).toBeLessThan(150);
  expect(Math.max(...wave.map((offset, frame) => Math.abs(offset - offsetAt(path, frame))))).toBeLessThan(0.27);
  expect(simplify(Array.from({ length: 1200 }, (_, n) => 100 * (n % 2))).length).toBeLessThanOrEqual(500);
});
