import type { SparseRows } from '../data/trainedModel.ts';

/** Alternating least squares for implicit feedback (Hu, Koren and Volinsky 2008): weight of an interaction beside an absent one, and penalty of vectors. */
export interface LeastSquares {
  rank: number;
  confidence: number;
  penalty: number;
}

/** Steps of conjugate gradients for a vector, which begin at its last value (Takács, Pilászy and Tikk 2011). */
const conjugateSteps = 3;

/** Computes `Y^T Y + penalty I` of row-major vectors. */
export function penalisedGram(vectors: Float32Array, rank: number, penalty: number): Float64Array {
  const gram = new Float64Array(rank * rank);
  for (let start = 0; start < vectors.length; start += rank) {
    for (let i = 0; i < rank; i++) {
      const value = vectors[start + i] as number;
      if (value === 0) continue;
      for (let j = 0; j <= i; j++) gram[i * rank + j] = (gram[i * rank + j] as number) + value * (vectors[start + j] as number);
    }
  }
  for (let i = 0; i < rank; i++) {
    for (let j = 0; j < i; j++) gram[j * rank + i] = gram[i * rank + j] as number;
    gram[i * rank + i] = (gram[i * rank + i] as number) + penalty;
  }
  return gram;
}

/**
 * Improves the vectors of one side: each solves `(Y^T Y + (c - 1) Y_u^T Y_u + penalty I) x = c Y_u^T 1` with the vectors Y of the other side, of which `Y_u` are
 * those in the row.
 * @param vectors one vector per row, row-major; receives the improved vectors
 * @param others vectors of the other side
 * @param rows for each vector, the vectors of the other side that interact with it
 */
export function improveVectors(vectors: Float32Array, others: Float32Array, { pointer, index }: SparseRows, { rank, confidence, penalty }: LeastSquares): void {
  const gram = penalisedGram(others, rank, penalty);
  const [x, residual, direction, product] = [new Float64Array(rank), new Float64Array(rank), new Float64Array(rank), new Float64Array(rank)];
  /** `out += sum of Y_i (constant + factor Y_i . given)` over the row. */
  const addRow = (row: number, given: Float64Array, factor: number, constant: number, out: Float64Array): void => {
    for (let at = pointer[row] as number; at < (pointer[row + 1] as number); at++) {
      const start = (index[at] as number) * rank;
      let dot = 0;
      for (let k = 0; k < rank; k++) dot += (others[start + k] as number) * (given[k] as number);
      const weight = constant + factor * dot;
      for (let k = 0; k < rank; k++) out[k] = (out[k] as number) + weight * (others[start + k] as number);
    }
  };
  const multiplyGram = (given: Float64Array, sign: number, out: Float64Array): void => {
    for (let i = 0; i < rank; i++) {
      let dot = 0;
      for (let j = 0, at = i * rank; j < rank; j++, at++) dot += (gram[at] as number) * (given[j] as number);
      out[i] = sign * dot;
    }
  };
  for (let row = 0; row < pointer.length - 1; row++) {
    const place = row * rank;
    if (pointer[row] === pointer[row + 1]) {
      vectors.fill(0, place, place + rank);
      continue;
    }
    x.set(vectors.subarray(place, place + rank));
    multiplyGram(x, -1, residual);
    addRow(row, x, 1 - confidence, confidence, residual);
    direction.set(residual);
    let squared = squareOf(residual);
    for (let step = 0; step < conjugateSteps && squared > Number.MIN_VALUE; step++) {
      multiplyGram(direction, 1, product);
      addRow(row, direction, confidence - 1, 0, product);
      let curvature = 0;
      for (let k = 0; k < rank; k++) curvature += (direction[k] as number) * (product[k] as number);
      const length = squared / curvature;
      for (let k = 0; k < rank; k++) {
        x[k] = (x[k] as number) + length * (direction[k] as number);
        residual[k] = (residual[k] as number) - length * (product[k] as number);
      }
      const next = squareOf(residual);
      for (let k = 0; k < rank; k++) direction[k] = (residual[k] as number) + (next / squared) * (direction[k] as number);
      squared = next;
    }
    vectors.set(x, place);
  }
}

function squareOf(vector: Float64Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return sum;
}
