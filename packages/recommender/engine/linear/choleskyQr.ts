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
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const entry = matrix[row * size + column] as number;
      if (transposed) out[column] = (out[column] as number) + entry * (x[row] as number);
      else out[row] = (out[row] as number) + entry * (x[column] as number);
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
