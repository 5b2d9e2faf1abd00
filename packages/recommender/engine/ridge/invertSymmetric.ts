import { runJobs, type Job } from '../kernels/jobs.ts';
import type { Workspace } from '../kernels/workspace.ts';

/** Columns of a panel; `kernels/assembly/panelSize.ts` defines the same value. */
export const width = 32;
/** Panels that one step eliminates: the whole matrix is read and written once per step. */
const panelsPerStep = 2;
const stepColumns = width * panelsPerStep;
const floatBytes = 4;
const rowBytes = floatBytes * width;

/** Rows and columns of the matrix that holds a symmetric matrix of the given size. */
export function paddedSize(size: number): number {
  return Math.ceil(size / stepColumns) * stepColumns;
}

/** Index of an entry in a matrix in panels of 32 columns, each panel row-major. */
export function panelIndex(size: number, row: number, column: number): number {
  return (Math.floor(column / width) * size + row) * width + (column % width);
}

/**
 * Replaces the lower triangle of a symmetric positive definite matrix A by the lower triangle of `-A^-1`, by the sweep operator
 * in blocks of 64 columns (Goodnight 1979): half of the products of an inversion that ignores the symmetry. Entries above the
 * diagonal are undefined afterwards, except in the diagonal blocks. The result does not depend on the number of threads.
 * @param matrix size × size in panels (`panelIndex`), in the workspace
 * @param size a multiple of 64 (`paddedSize`)
 */
export function invertSymmetric(workspace: Workspace, matrix: Float32Array, size: number): void {
  const mark = workspace.mark();
  const step = new SweepStep(workspace, matrix, size);
  for (let first = 0; first < size; first += stepColumns) step.sweep(first);
  workspace.release(mark);
}

/** Writes the transpose of a tile of 32 × 32 entries, which are consecutive in a panel: entry by entry, rows of the whole matrix lie too far apart for the cache. */
function transposeTile(from: Float32Array, fromPlace: number, to: Float32Array, toPlace: number): void {
  for (let row = 0; row < width; row++) {
    const start = fromPlace + row * width;
    for (let column = 0; column < width; column++) to[toPlace + column * width + row] = from[start + column] as number;
  }
}

class SweepStep {
  private readonly workspace: Workspace;
  private readonly matrix: Float32Array;
  private readonly size: number;
  /** The columns of the step, in panels; and the same columns times the inverse of the diagonal block. */
  private readonly columns: Float32Array;
  private readonly scaled: Float32Array;
  /** One 64 × 32 block per panel of the matrix: the transposed rows of `scaled`. */
  private readonly factors: Float32Array;

  constructor(workspace: Workspace, matrix: Float32Array, size: number) {
    this.workspace = workspace;
    this.matrix = matrix;
    this.size = size;
    this.columns = workspace.floats(size * stepColumns);
    this.scaled = workspace.floats(size * stepColumns);
    this.factors = workspace.floats(size * stepColumns);
  }

  /** `A_ij -= A_iK A_KK^-1 A_Kj`, `A_iK = A_iK A_KK^-1`, `A_KK = -A_KK^-1` for the columns K that begin at `first`. */
  sweep(first: number): void {
    this.readColumns(first);
    const inverse = invertBlock(this.diagonalBlock(first));
    this.scale(inverse);
    this.subtract(first);
    this.writeColumns(first, inverse);
  }

  /** Copies the columns of the step: below the diagonal block as they are, above it from the rows of the lower triangle. */
  private readColumns(first: number): void {
    const { matrix, size, columns } = this;
    for (let panel = 0; panel < panelsPerStep; panel++) {
      const from = panelIndex(size, first, first + panel * width);
      columns.set(matrix.subarray(from, from + (size - first) * width), panelIndex(size, first, panel * width));
    }
    for (let row = 0; row < stepColumns; row += width) {
      for (let column = 0; column < first; column += width) transposeTile(matrix, panelIndex(size, first + row, column), columns, panelIndex(size, column, row));
    }
  }

  private diagonalBlock(first: number): Float64Array {
    const block = new Float64Array(stepColumns * stepColumns);
    for (let row = 0; row < stepColumns; row++) {
      for (let column = 0; column <= row; column++) {
        const value = this.columns[panelIndex(this.size, first + row, column)] as number;
        block[row * stepColumns + column] = value;
        block[column * stepColumns + row] = value;
      }
    }
    return block;
  }

  /** Computes `scaled = columns inverse`, and the factors. */
  private scale(inverse: Float64Array): void {
    const { workspace, size, columns, scaled, factors } = this;
    const mark = workspace.mark();
    const small = workspace.floats(stepColumns * stepColumns);
    for (let row = 0; row < stepColumns; row++) {
      for (let column = 0; column < stepColumns; column++) small[panelIndex(stepColumns, row, column)] = -(inverse[row * stepColumns + column] as number);
    }
    scaled.fill(0);
    for (let panel = 0; panel < panelsPerStep; panel++) {
      workspace.call.subtractProduct(
        scaled.byteOffset + panel * size * rowBytes, columns.byteOffset, panelsPerStep, size * rowBytes, size,
        small.byteOffset + panel * stepColumns * rowBytes,
      );
    }
    workspace.release(mark);
    for (let row = 0; row < size; row += width) {
      for (let column = 0; column < stepColumns; column += width) transposeTile(scaled, panelIndex(size, row, column), factors, (row * panelsPerStep + column) * width);
    }
  }

  /** Subtracts the product from the lower triangle, panel by panel. */
  private subtract(first: number): void {
    const { workspace, matrix, size, columns, factors } = this;
    const jobs: Job[] = [];
    for (let column = 0; column < size; column += width) {
      if (column >= first && column < first + stepColumns) continue;
      const place = matrix.byteOffset + floatBytes * panelIndex(size, column, column);
      jobs.push({
        calls: [[
          'subtractProduct', place, columns.byteOffset + rowBytes * column, panelsPerStep, size * rowBytes, size - column,
          factors.byteOffset + stepColumns * floatBytes * column,
        ]],
        units: 0,
      });
    }
    if (jobs.length > 0) runJobs(workspace, jobs, 0);
  }

  private writeColumns(first: number, inverse: Float64Array): void {
    const { matrix, size, scaled } = this;
    const end = first + stepColumns;
    for (let panel = 0; panel < panelsPerStep; panel++) {
      const from = panelIndex(size, first, panel * width);
      matrix.set(scaled.subarray(from, from + (size - first) * width), panelIndex(size, first, first + panel * width));
    }
    for (let row = 0; row < stepColumns; row += width) {
      for (let column = 0; column < first; column += width) transposeTile(scaled, panelIndex(size, column, row), matrix, panelIndex(size, first + row, column));
    }
    for (let row = first; row < end; row++) {
      for (let column = first; column < end; column++) {
        matrix[panelIndex(size, row, column)] = -(inverse[(row - first) * stepColumns + column - first] as number);
      }
    }
  }
}

/** The inverse of a 64 × 64 symmetric positive definite matrix in double precision (Gauss-Jordan elimination). */
function invertBlock(block: Float64Array): Float64Array {
  const n = stepColumns;
  for (let pivot = 0; pivot < n; pivot++) {
    const scale = 1 / (block[pivot * n + pivot] as number);
    block[pivot * n + pivot] = 1;
    for (let column = 0; column < n; column++) block[pivot * n + column] = (block[pivot * n + column] as number) * scale;
    for (let row = 0; row < n; row++) {
      if (row === pivot) continue;
      const factor = block[row * n + pivot] as number;
      if (factor === 0) continue;
      block[row * n + pivot] = 0;
      for (let column = 0; column < n; column++) {
        block[row * n + column] = (block[row * n + column] as number) - factor * (block[pivot * n + column] as number);
      }
    }
  }
  return block;
}
