import { describe, expect, test } from 'vitest';
import { choleskyQr } from './choleskyQr.ts';
import { crossProduct } from './crossProduct.ts';
import { multiplySmall } from './multiplySmall.ts';
import { createRandom } from './random.ts';

const random = createRandom(7);
const matrix = (length: number): Float32Array => Float32Array.from({ length }, () => random.normal());

describe('dense products', () => {
  // Shapes around the block lengths of the implementation: 8 rows, 32 rows, 4 inner columns.
  const shapes = [[1, 1, 1], [7, 3, 2], [8, 4, 4], [9, 5, 3], [33, 6, 6], [64, 13, 11]] as const;
  test.each(shapes)('multiplySmall and crossProduct agree with the definition for %i × %i', (rows, inner, columns) => {
    const a = matrix(rows * inner);
    const s = Float64Array.from(matrix(inner * columns));
    const out = new Float32Array(rows * columns);
    multiplySmall(a, rows, inner, s, columns, out, false);
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        let sum = 0;
        for (let k = 0; k < inner; k++) sum += (a[i * inner + k] as number) * (s[k * columns + j] as number);
        expect(out[i * columns + j]).toBeCloseTo(sum, 4);
      }
    }
    const cross = crossProduct(a, a, rows, inner);
    for (let i = 0; i < inner; i++) {
      for (let j = 0; j < inner; j++) {
        let sum = 0;
        for (let k = 0; k < rows; k++) sum += (a[k * inner + i] as number) * (a[k * inner + j] as number);
        expect(cross[i * inner + j]).toBeCloseTo(sum, 9);
      }
    }
  });

  test('multiplySmall in place with an upper triangle gives the same as with a full product', () => {
    const a = matrix(37 * 10);
    const s = new Float64Array(100);
    for (let i = 0; i < 10; i++) for (let j = i; j < 10; j++) s[i * 10 + j] = random.normal();
    const full = new Float32Array(370);
    multiplySmall(a, 37, 10, s, 10, full, false);
    multiplySmall(a, 37, 10, s, 10, a, true);
    expect(a).toEqual(full);
  });
});

describe('choleskyQr', () => {
  test('makes columns orthonormal', () => {
    const a = matrix(50 * 8);
    choleskyQr(a, 50, 8);
    const cross = crossProduct(a, a, 50, 8);
    for (let i = 0; i < 64; i++) expect(cross[i]).toBeCloseTo(i % 9 === 0 ? 1 : 0, 5);
  });

  test('sets columns that depend on earlier ones to zero', () => {
    const a = new Float32Array(20 * 3);
    for (let row = 0; row < 20; row++) a.set([row + 1, 2 * (row + 1), row % 2], row * 3);
    choleskyQr(a, 20, 3);
    for (let row = 0; row < 20; row++) expect(a[row * 3 + 1]).toBe(0);
    const cross = crossProduct(a, a, 20, 3);
    expect(cross[0]).toBeCloseTo(1, 5);
    expect(cross[8]).toBeCloseTo(1, 5);
  });
});

describe('SeededRandom', () => {
  test('repeats itself for a seed and differs between seeds', () => {
    const draw = (seed: number): number[] => {
      const numbers = createRandom(seed);
      return Array.from({ length: 5 }, () => numbers.uniform());
    };
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3)).not.toEqual(draw(4));
  });

  test('draws standard normal numbers', () => {
    const numbers = createRandom(11);
    let sum = 0;
    let squares = 0;
    for (let n = 0; n < 20_000; n++) {
      const value = numbers.normal();
      sum += value;
      squares += value * value;
    }
    expect(Math.abs(sum / 20_000)).toBeLessThan(0.03);
    expect(Math.abs(squares / 20_000 - 1)).toBeLessThan(0.05);
  });
});
