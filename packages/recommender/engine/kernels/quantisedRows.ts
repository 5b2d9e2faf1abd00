/**
 * Vectors as rows of 16-bit integers: half the memory of floats, and eight products per instruction. A row's values are its
 * integers times the row's own step, so short vectors have the same relative precision as long vectors.
 *
 * The length of a row is at most `longest`, and no integer in a row is above `largest`. By the Cauchy-Schwarz inequality, the
 * product of two rows, and every sum of some of its terms, is at most `longest^2 = 2.116e9`. The rounding of 256 columns
 * makes each row at most sqrt(256) / 2 = 8 longer, so the bound becomes 2.117e9, below 2^31 = 2.147e9. Therefore 32-bit sums
 * are exact in any order, up to 400,000 columns. Rounding changes a cosine by about 1e-5.
 */
export interface QuantisedRows {
  /** `width` integers per row, zeros after the last column. */
  entries: Int16Array;
  /** One step per row. */
  steps: Float32Array;
  /** Integers per row, a multiple of 8. */
  width: number;
}

/** `assembly/dots.ts` defines the same two values. */
const longest = 46_000;
const largest = 32_767;

const lanes = 8;

/** Number of integers in a row with the given number of columns. */
export function quantisedWidth(columns: number): number {
  return Math.ceil(columns / lanes) * lanes;
}

/** Tools that create quantised rows. */
interface Quantiser {
  quantised(rows: number, columns: number): QuantisedRows;
  quantise(values: Float32Array, weight: Float32Array | null, out: QuantisedRows, row: number): void;
}

/** Quantises all rows of a row-major matrix that the tools can access. */
export function quantiseRows(tools: Quantiser, matrix: Float32Array, columns: number): QuantisedRows {
  const rows = columns === 0 ? 0 : matrix.length / columns;
  const out = tools.quantised(rows, columns);
  for (let row = 0; row < rows; row++) tools.quantise(matrix.subarray(row * columns, (row + 1) * columns), null, out, row);
  return out;
}

/** The plain TypeScript version of the kernel `quantiseRow`. */
export function quantiseRow(values: Float32Array, weight: Float32Array | null, out: QuantisedRows, row: number): void {
  const entry = (k: number): number => (values[k] as number) * (weight === null ? 1 : (weight[k] as number));
  // Even and odd columns are summed separately, in the same way as in the kernel, so that results are equal.
  const sums = [0, 0];
  let most = 0;
  for (let k = 0; k < values.length; k++) {
    const x = entry(k);
    sums[k % 2] = (sums[k % 2] as number) + x * x;
    most = Math.max(most, Math.abs(x));
  }
  const factor = most === 0 ? 0 : Math.min(largest / most, longest / Math.sqrt((sums[0] as number) + (sums[1] as number)));
  out.steps[row] = most === 0 ? 0 : 1 / factor;
  for (let k = 0, at = row * out.width; k < values.length; k++) out.entries[at + k] = Math.floor(entry(k) * factor + 0.5);
}

/** The plain TypeScript version of the dot product kernels, for one query. */
export function dotQuantised(
  queries: QuantisedRows, which: number, matrix: QuantisedRows, index: Int32Array | number, n: number, out: Float32Array,
): void {
  const { entries, steps, width } = matrix;
  const begin = which * queries.width;
  const step = queries.steps[which] as number;
  for (let place = 0; place < n; place++) {
    const row = typeof index === 'number' ? index + place : (index[place] as number);
    let sum = 0;
    for (let k = 0, at = row * width; k < width; k++) sum += (queries.entries[begin + k] as number) * (entries[at + k] as number);
    out[place] = Math.fround(Math.fround(sum) * step) * (steps[row] as number);
  }
}
