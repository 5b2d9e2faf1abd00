import type { WeightedRows } from '../data/trainedModel.ts';

const maxIterations = 100;

/**
 * Solves `(B^T B + ridge I) W = Y` for all columns of Y together by conjugate gradients (Hestenes and Stiefel 1952).
 * @param b sparse matrix, rows × size
 * @param y size × columns, row-major
 * @param tolerance relative residual of each column of the result
 * @returns W, size × columns
 */
export function conjugateGradients(
  b: WeightedRows,
  size: number,
  ridge: number,
  y: Float64Array,
  columns: number,
  report: (fraction: number) => void,
  tolerance = 1e-7,
): Float64Array {
  const w = new Float64Array(size * columns);
  const residual = y.slice();
  const direction = y.slice();
  const product = new Float64Array(size * columns);
  const first = columnDots(residual, residual, columns);
  let squares: Float64Array = first.slice();
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    let open = 0;
    for (let c = 0; c < columns; c++) if ((squares[c] as number) > tolerance ** 2 * (first[c] as number)) open++;
    if (open === 0) break;
    report(iteration / maxIterations);
    applyNormal(b, ridge, direction, columns, product);
    const curvature = columnDots(direction, product, columns);
    const step = squares.map((square, c) => ((curvature[c] as number) > 0 ? square / (curvature[c] as number) : 0));
    addScaled(w, direction, step, columns, 1);
    addScaled(residual, product, step, columns, -1);
    const next = columnDots(residual, residual, columns);
    const beta = next.map((square, c) => ((squares[c] as number) > 0 ? square / (squares[c] as number) : 0));
    turn(direction, residual, beta, columns);
    squares = next;
  }
  return w;
}

/** Computes `out = (B^T B + ridge I) v`. */
function applyNormal(b: WeightedRows, ridge: number, v: Float64Array, columns: number, out: Float64Array): void {
  const sum = new Float64Array(columns);
  for (let k = 0; k < out.length; k++) out[k] = ridge * (v[k] as number);
  for (let row = 0; row + 1 < b.pointer.length; row++) {
    const start = b.pointer[row] as number;
    const end = b.pointer[row + 1] as number;
    if (start === end) continue;
    sum.fill(0);
    for (let entry = start; entry < end; entry++) {
      const base = (b.index[entry] as number) * columns;
      const weight = b.value[entry] as number;
      for (let c = 0; c < columns; c++) sum[c] = (sum[c] as number) + weight * (v[base + c] as number);
    }
    for (let entry = start; entry < end; entry++) {
      const base = (b.index[entry] as number) * columns;
      const weight = b.value[entry] as number;
      for (let c = 0; c < columns; c++) out[base + c] = (out[base + c] as number) + weight * (sum[c] as number);
    }
  }
}

function columnDots(a: Float64Array, b: Float64Array, columns: number): Float64Array {
  const dots = new Float64Array(columns);
  for (let base = 0; base < a.length; base += columns) {
    for (let c = 0; c < columns; c++) {
      dots[c] = (dots[c] as number) + (a[base + c] as number) * (b[base + c] as number);
    }
  }
  return dots;
}

/** Computes `direction = residual + direction diag(beta)`: a function of its own, which is compiled once instead of on entry in the middle of all iterations. */
function turn(direction: Float64Array, residual: Float64Array, beta: Float64Array, columns: number): void {
  for (let base = 0; base < direction.length; base += columns) {
    for (let c = 0; c < columns; c++) direction[base + c] = (residual[base + c] as number) + (beta[c] as number) * (direction[base + c] as number);
  }
}

function addScaled(
  target: Float64Array,
  source: Float64Array,
  scale: Float64Array,
  columns: number,
  sign: number,
): void {
  for (let base = 0; base < target.length; base += columns) {
    for (let c = 0; c < columns; c++) {
      target[base + c] = (target[base + c] as number) + sign * (scale[c] as number) * (source[base + c] as number);
    }
  }
}
