import { crossProduct } from './crossProduct.ts';
import { multiplySmall } from './multiplySmall.ts';
import type { ProgressMeter } from '../progress/progressMeter.ts';

/**
 * A column counts as linearly dependent if its independent part is below this share of its squared length; the rest is
 * rounding.
 */
const dependentShare = 1e-9;

/**
 * Makes the columns of a tall row-major matrix orthonormal in place (Cholesky-QR: `Y^T Y = R^T R`, `Q = Y R^-1`). Columns
 * that depend linearly on previous columns become zero, so the rank may be lower than the number of columns.
 */
export function choleskyQr(matrix: Float32Array, rows: number, columns: number, meter?: ProgressMeter): void {
  const gram = crossProduct(matrix, matrix, rows, columns, meter);
  multiplySmall(matrix, rows, columns, inverseCholesky(gram, columns).inverse, columns, matrix, true, meter);
}

/**
 * Returns `R^-1` (upper triangular, row-major) for the Cholesky factor R of a positive semidefinite matrix; columns of
 * dependent directions are zero. `smallestShare` is the smallest share of a column's squared length that is independent of
 * the previous columns.
 */
export function inverseCholesky(matrix: Float64Array, size: number): { inverse: Float64Array; smallestShare: number } {
  const r = matrix.slice();
  let smallestShare = 1;
  for (let i = 0; i < size; i++) {
    let pivot = r[i * size + i] as number;
    for (let k = 0; k < i; k++) pivot -= (r[k * size + i] as number) ** 2;
    const original = matrix[i * size + i] as number;
    if (original > 0) smallestShare = Math.min(smallestShare, pivot / original);
    const diagonal = pivot > dependentShare * original && original > 0 ? Math.sqrt(pivot) : 0;
    r[i * size + i] = diagonal;
    for (let j = i + 1; j < size; j++) {
      let sum = r[i * size + j] as number;
      for (let k = 0; k < i; k++) sum -= (r[k * size + i] as number) * (r[k * size + j] as number);
      r[i * size + j] = diagonal === 0 ? 0 : sum / diagonal;
    }
  }
  const inverse = new Float64Array(size * size);
  for (let column = 0; column < size; column++) {
    const diagonal = r[column * size + column] as number;
    if (diagonal === 0) continue;
    inverse[column * size + column] = 1 / diagonal;
    for (let i = column - 1; i >= 0; i--) {
      const pivot = r[i * size + i] as number;
      if (pivot === 0) continue;
      let sum = 0;
      for (let k = i + 1; k <= column; k++) sum += (r[i * size + k] as number) * (inverse[k * size + column] as number);
      inverse[i * size + column] = -sum / pivot;
    }
  }
  return { inverse, smallestShare };
}
