import { transpose } from '../matrix/transpose.ts';
import { runJobs } from '../kernels/jobs.ts';
import { paddedSize, width } from './invertSymmetric.ts';
import { createVectors, entryIndex, improveVectors, penalisedGram, type Vectors } from './leastSquares.ts';
import { placedRows, placesOf, regressionItems, type ItemMatrix } from './ridgeMatrix.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import type { Factors } from '../factors/factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { Workspace } from '../kernels/workspace.ts';

/** Length of the vectors. */
export const alsRank = 64;
/** Of the values tried with eight small samples, those with which lists beside the operator and the ridge are best (bench/results/recommend-peers.md). */
const penalty = 30;
/**
 * Rounds from the factors, and weight of an interaction beside an absent one, if a setting has none; 15 rounds from random vectors list no better beside the operator
 * and the ridge.
 */
export const usualAls: AlsOptions = { rounds: 4, confidence: 40 };

/** Options of alternating least squares. */
export interface AlsOptions {
  /** Rounds of the vectors of users and items. */
  rounds: number;
  /** Weight of an interaction beside an absent one. */
  confidence: number;
}

/** Root mean square of the first vectors' values. Their scale matters little. */
const firstScale = 0.1;

/**
 * What alternating least squares says between the most used items: `V (V^T V + penalty I)^-1 V^T` with the items' vectors V, which begin at the factors.
 * A list of `implicit` follows from the same vectors, but weighs the items of a history against each other, so that its values are no sums over the
 * history; these sums keep most of its gain (bench/results/recommend-peers.md).
 * @returns the matrix in the form of a regression's, with 0 on the diagonal
 */
export function computeAls(interactions: Interactions & { workspace: Workspace }, factors: Factors, options = usualAls): ItemMatrix {
  const { workspace } = interactions;
  const items = workspace.place(regressionItems(interactions.itemDegree));
  const place = workspace.place(placesOf(items, interactions.items));
  const stride = paddedSize(items.length);
  const values = workspace.floats(stride * stride);
  const mark = workspace.mark();
  const vectors = itemVectors(interactions, factors, items, place, options);
  whiten(vectors, penalisedGram(workspace, vectors, penalty));
  multiplyAll(workspace, vectors, values, stride);
  for (let at = 0; at < items.length; at++) values[at * stride + at] = 0;
  workspace.release(mark);
  return { items, place, values, stride };
}

function itemVectors(
  { workspace, users, rows }: Interactions & { workspace: Workspace }, factors: Factors, items: Int32Array, place: Int32Array, { rounds, confidence }: AlsOptions,
): Vectors {
  const rank = Math.min(alsRank, factors.rank);
  const vectors = createVectors(workspace, items.length, rank);
  const scale = firstScale * Math.sqrt(items.length / rank);
  items.forEach((item, at) => {
    for (let k = 0; k < rank; k++) {
      vectors.values[entryIndex(vectors, at, k)] = scale * (factors.vectors[item * factors.rank + k] as number) * Math.sqrt(Math.max(0, factors.eigenvalues[k] as number));
    }
  });
  const listed = placedRows(rows, place);
  const [own, audience] = [inWorkspace(workspace, listed), inWorkspace(workspace, transpose(listed, items.length))];
  const ofUsers = createVectors(workspace, users, rank);
  for (let round = 0; round < rounds; round++) {
    improveVectors(workspace, ofUsers, vectors, own, { confidence, penalty });
    improveVectors(workspace, vectors, ofUsers, audience, { confidence, penalty });
  }
  return vectors;
}

function inWorkspace(workspace: Workspace, { pointer, index }: SparseRows): SparseRows {
  return { pointer: workspace.place(pointer), index: workspace.place(index) };
}

/** Computes all products of the vectors, row-major. */
function multiplyAll(workspace: Workspace, vectors: Vectors, out: Float32Array, stride: number): void {
  const { values, rows, panels } = vectors;
  const transposed = workspace.floats(stride * panels * width);
  for (let row = 0; row < rows; row++) {
    const start = Math.floor(row / width) * panels * width * width + (row % width);
    for (let k = 0; k < panels * width; k++) transposed[start + k * width] = values[entryIndex(vectors, row, k)] as number;
  }
  const outPanels = stride / width;
  const scratch = width * 4 * width * (panels + outPanels);
  runJobs(workspace, [{ calls: [['transformRows', values.byteOffset, rows, panels, 0, rows, transposed.byteOffset, outPanels, 0, out.byteOffset, stride, { scratch: 0 }]], units: 0 }], scratch);
}

/** Replaces each vector v by z with `L z = v` for the Cholesky factor L of A, so that their products become `V A^-1 V^T`. */
function whiten(vectors: Vectors, matrix: Float32Array): void {
  const size = vectors.panels * width;
  const factor = choleskyFactor(matrix, size);
  const solved = new Float64Array(size);
  for (let row = 0; row < vectors.rows; row++) {
    for (let i = 0; i < size; i++) {
      let sum = vectors.values[entryIndex(vectors, row, i)] as number;
      for (let k = 0; k < i; k++) sum -= (factor[i * size + k] as number) * (solved[k] as number);
      solved[i] = sum / (factor[i * size + i] as number);
    }
    for (let k = 0; k < size; k++) vectors.values[entryIndex(vectors, row, k)] = solved[k] as number;
  }
}

/** The lower triangular L with `L L^T` = matrix; entries above the diagonal are undefined. */
function choleskyFactor(matrix: Float32Array, size: number): Float64Array {
  const factor = Float64Array.from(matrix);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = factor[i * size + j] as number;
      for (let k = 0; k < j; k++) sum -= (factor[i * size + k] as number) * (factor[j * size + k] as number);
      factor[i * size + j] = i === j ? Math.sqrt(sum) : sum / (factor[j * size + j] as number);
    }
  }
  return factor;
}
