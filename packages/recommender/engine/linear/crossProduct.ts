import type { ProgressMeter } from '../progress/progressMeter.ts';

const rowsAtOnce = 8;

/**
 * Computes `A^T B` of two row-major float matrices of the same shape. The product must be symmetric (B = A, or B = S A with
 * symmetric S), because only one triangle is computed and then mirrored. Each pass over the product handles eight rows: the
 * product (288² doubles) fits into the second-level cache, so each load serves eight multiplications.
 */
export function crossProduct(
  a: Float32Array,
  b: Float32Array,
  rows: number,
  columns: number,
  meter?: ProgressMeter,
): Float64Array {
  const product = new Float64Array(columns * columns);
  const left = new Float64Array(rowsAtOnce * columns);
  const right = new Float64Array(rowsAtOnce * columns);
  for (let row = 0; row < rows; row += rowsAtOnce) {
    const length = Math.min(rowsAtOnce, rows - row) * columns;
    if (length < left.length) {
      left.fill(0);
      right.fill(0);
    }
    left.set(a.subarray(row * columns, row * columns + length));
    right.set(b.subarray(row * columns, row * columns + length));
    addOuterProducts(product, left, right, columns);
    meter?.advance(rowsAtOnce);
  }
  for (let i = 0; i < columns; i++) {
    for (let j = i + 1; j < columns; j++) product[j * columns + i] = product[i * columns + j] as number;
  }
  return product;
}

function addOuterProducts(product: Float64Array, left: Float64Array, right: Float64Array, columns: number): void {
  const c1 = columns;
  const c2 = 2 * columns;
  const c3 = 3 * columns;
  const c4 = 4 * columns;
  const c5 = 5 * columns;
  const c6 = 6 * columns;
  const c7 = 7 * columns;
  for (let i = 0; i < columns; i++) {
    const l0 = left[i] as number;
    const l1 = left[c1 + i] as number;
    const l2 = left[c2 + i] as number;
    const l3 = left[c3 + i] as number;
    const l4 = left[c4 + i] as number;
    const l5 = left[c5 + i] as number;
    const l6 = left[c6 + i] as number;
    const l7 = left[c7 + i] as number;
    const base = i * columns;
    for (let j = i; j < columns; j++) {
      product[base + j] =
        (product[base + j] as number) +
        (l0 * (right[j] as number) +
          l1 * (right[c1 + j] as number) +
          l2 * (right[c2 + j] as number) +
          l3 * (right[c3 + j] as number)) +
        (l4 * (right[c4 + j] as number) +
          l5 * (right[c5 + j] as number) +
          l6 * (right[c6 + j] as number) +
          l7 * (right[c7 + j] as number));
    }
  }
}
