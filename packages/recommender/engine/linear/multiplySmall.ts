import type { ProgressMeter } from '../progress/progressMeter.ts';

const rowsAtOnce = 32;

/**
 * Computes `A S` for a tall row-major float matrix A (rows × inner) and a small matrix S (inner × columns, doubles). `out`
 * (rows × columns) may be A itself if columns = inner. Four rows of S stay in the first-level cache while 32 rows of A use
 * them. `upper` skips the zero half of an upper triangular S.
 */
export function multiplySmall(
  a: Float32Array,
  rows: number,
  inner: number,
  s: Float64Array,
  columns: number,
  out: Float32Array,
  upper: boolean,
  meter?: ProgressMeter,
): void {
  const padded = Math.ceil(inner / 4) * 4;
  const small = new Float64Array(padded * columns);
  small.set(s.subarray(0, inner * columns));
  const input = new Float64Array(rowsAtOnce * padded);
  const sums = new Float64Array(rowsAtOnce * columns);
  for (let first = 0; first < rows; first += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, rows - first);
    for (let row = 0; row < count; row++) {
      input.set(a.subarray((first + row) * inner, (first + row + 1) * inner), row * padded);
    }
    sums.fill(0);
    for (let k = 0; k < padded; k += 4) {
      const start = upper ? Math.min(k, columns) : 0;
      for (let row = 0; row < count; row += 2) addFour(sums, input, small, row, k, padded, columns, start);
    }
    for (let row = 0; row < count; row++) {
      out.set(sums.subarray(row * columns, (row + 1) * columns), (first + row) * columns);
    }
    meter?.advance(count);
  }
}

function addFour(
  sums: Float64Array,
  input: Float64Array,
  small: Float64Array,
  row: number,
  k: number,
  inner: number,
  columns: number,
  start: number,
): void {
  const a = row * inner + k;
  const b = a + inner;
  const a0 = input[a] as number;
  const a1 = input[a + 1] as number;
  const a2 = input[a + 2] as number;
  const a3 = input[a + 3] as number;
  const b0 = input[b] as number;
  const b1 = input[b + 1] as number;
  const b2 = input[b + 2] as number;
  const b3 = input[b + 3] as number;
  const p = k * columns;
  const q = p + columns;
  const r = q + columns;
  const t = r + columns;
  const outA = row * columns;
  const outB = outA + columns;
  for (let j = start; j < columns; j++) {
    const s0 = small[p + j] as number;
    const s1 = small[q + j] as number;
    const s2 = small[r + j] as number;
    const s3 = small[t + j] as number;
    sums[outA + j] = (sums[outA + j] as number) + (a0 * s0 + a1 * s1 + (a2 * s2 + a3 * s3));
    sums[outB + j] = (sums[outB + j] as number) + (b0 * s0 + b1 * s1 + (b2 * s2 + b3 * s3));
  }
}
