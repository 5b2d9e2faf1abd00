import { crossProduct } from './crossProduct.ts';
import { multiplySmall } from './multiplySmall.ts';
import type { ProgressMeter } from '../progress/progressMeter.ts';

/**
 * A column counts as linearly dependent if its independent part is below this share of its squared length; the rest is
 * rounding.
 */
const dependentShare = 1e-9;

/** Rounds of the power iteration that estimates singular values. */
const powerRounds = 20;

/** Largest and smallest singular value of a matrix, estimated; the smallest is 0 if columns depend on each other. */
export interface SingularRange {
  largest: number;
  smallest: number;
}

/**
 * Makes the columns of a tall row-major matrix orthonormal in place (Cholesky-QR: `Y^T Y = R^T R`, `Q = Y R^-1`). Columns
 * that depend linearly on previous columns become zero, so the rank may be lower than the number of columns.
 */
export function choleskyQr(matrix: Float32Array, rows: number, columns: number, meter?: ProgressMeter): SingularRange {
  const gram = crossProduct(matrix, matrix, rows, columns, meter);
  const { inverse } = inverseCholesky(gram, columns);
  multiplySmall(matrix, rows, columns, inverse, columns, matrix, true, meter);
  return singularRange(gram, inverse, columns);
}

/**
 * Estimates the singular values of a matrix by power iterations.
 * @param gram `R^T R`
 * @param inverse `R^-1` from `inverseCholesky`
 */
export function singularRange(gram: Float64Array, inverse: Float64Array, size: number): SingularRange {
  let isSingular = size === 0;
  for (let at = 0; at < size; at++) isSingular ||= inverse[at * size + at] === 0;
  const largest = Math.sqrt(growth(size, (x) => multiplyVector(gram, x, false)));
  // Squares of the singular values of `R^-1` are the eigenvalues of `R^-1 R^-T`.
  const smallest = isSingular ? 0 : growth(size, (x) => multiplyVector(inverse, multiplyVector(inverse, x, true), false)) ** -0.5;
  return { largest, smallest };
}

/** The largest eigenvalue of a symmetric matrix, given its products with vectors. */
function growth(size: number, multiply: (x: Float64Array) => Float64Array): number {
  let x = new Float64Array(size).fill(size ** -0.5);
  let length = 0;
  for (let round = 0; round < powerRounds; round++) {
    const product = multiply(x);
    length = Math.sqrt(product.reduce((sum, value) => sum + value * value, 0));
    if (length === 0) return 0;
    x = product.map((value) => value / length);
  }
  return length;
}

/** Returns the product of a row-major square matrix, or of its transpose, with a vector. */
function multiplyVector(matrix: Float64Array, x: Float64Array, transposed: boolean): Float64Array {
  const size = x.length;
  const out = new Float64Array(size);
  for (let row = 0, at = 0; row < size; row++) {
    if (transposed) {
      const factor = x[row] as number;
      for (let column = 0; column < size; column++, at++) out[column] = (out[column] as number) + (matrix[at] as number) * factor;
    } else {
      let sum = 0;
      for (let column = 0; column < size; column++, at++) sum += (matrix[at] as number) * (x[column] as number);
      out[row] = sum;
    }
  }
  return out;
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
    const pivot = r[i * size + i] as number;
    const original = matrix[i * size + i] as number;
    if (original > 0) smallestShare = Math.min(smallestShare, pivot / original);
    const diagonal = pivot > dependentShare * original && original > 0 ? Math.sqrt(pivot) : 0;
    r[i * size + i] = diagonal;
    for (let j = i + 1; j < size; j++) r[i * size + j] = diagonal === 0 ? 0 : (r[i * size + j] as number) / diagonal;
    if (diagonal !== 0) for (let j = i + 1; j < size; j++) subtractRow(r, j * size, r[i * size + j] as number, i * size, j, size);
  }
  const inverse = new Float64Array(size * size);
  for (let i = size - 1; i >= 0; i--) {
    const pivot = r[i * size + i] as number;
    if (pivot === 0) continue;
    const row = i * size;
    for (let k = i + 1; k < size; k++) {
      const factor = r[row + k] as number;
      for (let j = k, at = k * size + k; j < size; j++, at++) inverse[row + j] = (inverse[row + j] as number) + factor * (inverse[at] as number);
    }
    for (let j = i + 1; j < size; j++) inverse[row + j] = -(inverse[row + j] as number) / pivot;
    inverse[row + i] = 1 / pivot;
  }
  return { inverse, smallestShare };
}

/** Subtracts from a row, from column `first` on, a multiple of another row of the matrix. */
function subtractRow(matrix: Float64Array, row: number, factor: number, other: number, first: number, size: number): void {
  for (let j = first; j < size; j++) matrix[row + j] = (matrix[row + j] as number) - factor * (matrix[other + j] as number);
}
