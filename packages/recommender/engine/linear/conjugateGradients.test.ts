import { expect, test } from 'vitest';
import { conjugateGradients } from './conjugateGradients.ts';
import { createRandom } from './random.ts';

/** Solves a linear system by Gaussian elimination with pivoting. */
function solve(matrix: number[][], right: number[]): number[] {
  const a = matrix.map((row, i) => [...row, right[i] as number]);
  const size = right.length;
  for (let k = 0; k < size; k++) {
    let pivot = k;
    for (let i = k; i < size; i++) if (Math.abs(a[i]?.[k] ?? 0) > Math.abs(a[pivot]?.[k] ?? 0)) pivot = i;
    [a[k], a[pivot]] = [a[pivot] as number[], a[k] as number[]];
    for (let i = 0; i < size; i++) {
      if (i === k) continue;
      const factor = (a[i]?.[k] ?? 0) / (a[k]?.[k] ?? 1);
      a[i] = (a[i] as number[]).map((value, j) => value - factor * (a[k]?.[j] ?? 0));
    }
  }
  return a.map((row, i) => (row[size] as number) / (row[i] as number));
}

test('conjugate gradients agree with direct elimination for every column', () => {
  const random = createRandom(5);
  const [rows, size, columns, ridge] = [30, 9, 4, 30];
  const entry = (): number => (random.uniform() < 0.4 ? random.normal() : 0);
  const dense = Array.from({ length: rows }, () => Array.from({ length: size }, entry));
  const pointer = new Float64Array(rows + 1);
  const index: number[] = [];
  const value: number[] = [];
  dense.forEach((row, i) => {
    row.forEach((entry, j) => {
      if (entry !== 0) {
        index.push(j);
        value.push(Math.fround(entry));
      }
    });
    pointer[i + 1] = index.length;
  });
  const b = { pointer, index: Int32Array.from(index), value: Float32Array.from(value) };
  const y = Float64Array.from({ length: size * columns }, () => random.normal());
  const w = conjugateGradients(b, size, ridge, y, columns, () => {});
  const normal = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (__, j) =>
      dense.reduce((sum, row) => sum + Math.fround(row[i] ?? 0) * Math.fround(row[j] ?? 0), i === j ? ridge : 0),
    ),
  );
  for (let c = 0; c < columns; c++) {
    const direct = solve(normal, Array.from({ length: size }, (_, i) => y[i * columns + c] as number));
    direct.forEach((expected, i) => expect(w[i * columns + c]).toBeCloseTo(expected, 6));
  }
});

test('columns of zeros stay zero', () => {
  const b = { pointer: Float64Array.of(0, 1), index: Int32Array.of(0), value: Float32Array.of(1) };
  expect(conjugateGradients(b, 2, 30, new Float64Array(4), 2, () => {})).toEqual(new Float64Array(4));
});
