import { transpose } from '../matrix/transpose.ts';
import { paddedSize } from './invertSymmetric.ts';
import { improveVectors, penalisedGram, type LeastSquares } from './leastSquares.ts';
import { placesOf, regressionItems, type RidgeMatrix } from './ridgeMatrix.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import type { Factors } from '../factors/factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { Workspace } from '../kernels/workspace.ts';

/** Length of the vectors. */
export const alsRank = 64;
/** Of the values tried with eight small samples, those with which lists beside the operator and the ridge are best (bench/results/recommend-peers.md). */
const leastSquares = { rank: alsRank, confidence: 40, penalty: 30 } as const;
/** Rounds from the factors; 15 rounds from random vectors list no better beside the operator and the ridge. */
export const alsRounds = 4;
/** Root mean square of the first vectors' values. Their scale matters little. */
const firstScale = 0.1;

/**
 * What alternating least squares says between the most used items: `V (V^T V + penalty I)^-1 V^T` with the items' vectors V, which begin at the factors.
 * A list of `implicit` follows from the same vectors, but weighs the items of a history against each other, so that its values are no sums over the
 * history; these sums keep most of its gain (bench/results/recommend-peers.md).
 * @returns the matrix in the form of a regression's, with 0 on the diagonal
 */
export function computeAls(interactions: Interactions & { workspace: Workspace }, factors: Factors): RidgeMatrix {
  const { workspace } = interactions;
  const items = workspace.place(regressionItems(interactions.itemDegree));
  const place = workspace.place(placesOf(items, interactions.items));
  const stride = paddedSize(items.length);
  const values = workspace.floats(stride * stride);
  const settings = { ...leastSquares, rank: Math.min(leastSquares.rank, factors.rank) };
  const vectors = itemVectors(interactions, factors, items, place, settings);
  const { rank } = settings;
  const whitened = whiten(vectors, rank, penalisedGram(vectors, rank, settings.penalty));
  for (let row = 0; row < items.length; row++) {
    for (let column = 0; column < row; column++) {
      let dot = 0;
      for (let k = 0, a = row * rank, b = column * rank; k < rank; k++, a++, b++) dot += (whitened[a] as number) * (whitened[b] as number);
      values[row * stride + column] = dot;
      values[column * stride + row] = dot;
    }
  }
  return { items, place, values, stride };
}

/** The items' vectors after `alsRounds` rounds. */
function itemVectors(interactions: Interactions, factors: Factors, items: Int32Array, place: Int32Array, settings: LeastSquares): Float32Array {
  const { rank } = settings;
  const vectors = new Float32Array(items.length * rank);
  const scale = firstScale * Math.sqrt(items.length / rank);
  items.forEach((item, at) => {
    for (let k = 0; k < rank; k++) {
      vectors[at * rank + k] = scale * (factors.vectors[item * factors.rank + k] as number) * Math.sqrt(Math.max(0, factors.eigenvalues[k] as number));
    }
  });
  const rows = placedRows(interactions.rows, place);
  const audience = transpose(rows, items.length);
  const users = new Float32Array(interactions.users * rank);
  for (let round = 0; round < alsRounds; round++) {
    improveVectors(users, vectors, rows, settings);
    improveVectors(vectors, users, audience, settings);
  }
  return vectors;
}

/** The rows with the places of their items; items without a place are left out. */
function placedRows({ pointer, index }: SparseRows, place: Int32Array): SparseRows {
  const kept = new Int32Array(index.length);
  const starts = new Float64Array(pointer.length);
  let count = 0;
  for (let row = 0; row < pointer.length - 1; row++) {
    for (let at = pointer[row] as number; at < (pointer[row + 1] as number); at++) {
      const to = place[index[at] as number] as number;
      if (to >= 0) kept[count++] = to;
    }
    starts[row + 1] = count;
  }
  return { pointer: starts, index: kept.slice(0, count) };
}

/** Vectors whose products are `V A^-1 V^T`: solves `L z = v` for each vector, with the Cholesky factor L of A. */
function whiten(vectors: Float32Array, rank: number, matrix: Float64Array): Float32Array {
  for (let i = 0; i < rank; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * rank + j] as number;
      for (let k = 0; k < j; k++) sum -= (matrix[i * rank + k] as number) * (matrix[j * rank + k] as number);
      matrix[i * rank + j] = i === j ? Math.sqrt(sum) : sum / (matrix[j * rank + j] as number);
    }
  }
  const out = new Float32Array(vectors.length);
  const solved = new Float64Array(rank);
  for (let start = 0; start < vectors.length; start += rank) {
    for (let i = 0; i < rank; i++) {
      let sum = vectors[start + i] as number;
      for (let k = 0; k < i; k++) sum -= (matrix[i * rank + k] as number) * (solved[k] as number);
      solved[i] = sum / (matrix[i * rank + i] as number);
    }
    out.set(solved, start);
  }
  return out;
}
