import { runJobs, type Job } from '../kernels/jobs.ts';
import { panelIndex, width } from './invertSymmetric.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import type { Workspace } from '../kernels/workspace.ts';

/** Alternating least squares for implicit feedback (Hu, Koren and Volinsky 2008): weight of an interaction beside an absent one, and penalty of vectors. */
export interface LeastSquares {
  confidence: number;
  penalty: number;
}

/** Vectors of one side in panels (`panelIndex`): `panels` times `rows` rows of 32 floats. */
export interface Vectors {
  values: Float32Array;
  rows: number;
  panels: number;
}

/** Steps of conjugate gradients for a vector, which begin at its last value (Takács, Pilászy and Tikk 2011). */
const conjugateSteps = 3;
/** Vectors that one job improves, and bytes of a panel's row. */
const rowsPerJob = 512;
const rowBytes = 4 * width;

/** Vectors of zeros. */
export function createVectors(workspace: Workspace, rows: number, rank: number): Vectors {
  const panels = Math.ceil(rank / width);
  return { values: workspace.floats(panels * rows * width), rows, panels };
}

/** Computes `Y^T Y + penalty I` of vectors, row-major. */
export function penalisedGram(workspace: Workspace, { values, rows, panels }: Vectors, penalty: number): Float32Array {
  const size = panels * width;
  const gram = workspace.floats(size * size);
  const mark = workspace.mark();
  const tile = workspace.doubles(width * width);
  for (let left = 0; left < panels; left++) {
    for (let right = 0; right < panels; right++) {
      workspace.call.crossPanels(values.byteOffset + left * rows * rowBytes, values.byteOffset + right * rows * rowBytes, rows, tile.byteOffset);
      for (let at = 0; at < tile.length; at++) gram[(left * width + Math.floor(at / width)) * size + right * width + (at % width)] = tile[at] as number;
    }
  }
  for (let k = 0; k < size; k++) gram[k * size + k] = (gram[k * size + k] as number) + penalty;
  workspace.release(mark);
  return gram;
}

/**
 * Improves the vectors of one side: each solves `(Y^T Y + (c - 1) Y_u^T Y_u + penalty I) x = c Y_u^T 1` with the vectors Y of the other side, of which `Y_u` are
 * those in the row. The result does not depend on the number of threads.
 * @param vectors receives the improved vectors
 * @param others vectors of the other side, with as many panels
 * @param listed for each vector, the vectors of the other side that interact with it, in the workspace
 */
export function improveVectors(
  workspace: Workspace, vectors: Vectors, others: Vectors, { pointer, index }: SparseRows, { confidence, penalty }: LeastSquares,
): void {
  const mark = workspace.mark();
  const gram = penalisedGram(workspace, others, penalty);
  const jobs: Job[] = [];
  for (let first = 0; first < vectors.rows; first += rowsPerJob) {
    jobs.push({
      calls: [[
        'improveVectors', vectors.values.byteOffset, vectors.rows, others.values.byteOffset, others.rows, vectors.panels, gram.byteOffset,
        pointer.byteOffset, index.byteOffset, first, Math.min(vectors.rows, first + rowsPerJob), confidence, conjugateSteps, { scratch: 0 },
      ]],
      units: 0,
    });
  }
  runJobs(workspace, jobs, 4 * vectors.panels * rowBytes);
  workspace.release(mark);
}

/** Index of an entry of a vector. */
export function entryIndex({ rows }: Vectors, row: number, k: number): number {
  return panelIndex(rows, row, k);
}
