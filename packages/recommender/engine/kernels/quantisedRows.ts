/**
 * Vectors as rows of whole numbers of 16 bits: half the memory of floats, and eight products an instruction. What a row
 * stands for is its numbers times its own step, so that short vectors are as exact as long ones.
 *
 * A row is at most `longest` long and no number in it is beyond `largest`. So by the inequality of Cauchy and Schwarz the
 * product of two rows, and every sum of some of its terms, is at most `longest^2 = 2.116e9`, and with the rounding of 256
 * columns (each row at most sqrt(256) / 2 = 8 longer) 2.117e9, below 2^31 = 2.147e9: sums of 32 bits are exact in any order,
 * up to 400,000 columns. Rounding changes a cosine by some 1e-5.
 */
export interface QuantisedRows {
  /** `width` of each row, zeros behind its columns. */
  entries: Int16Array;
  /** One a row. */
  steps: Float32Array;
  /** A multiple of 8. */
  width: number;
}

/** `dots.ts` of the kernels has both again. */
const longest = 46_000;
const largest = 32_767;

const lanes = 8;

/** Numbers that a row of so many columns has. */
export function quantisedWidth(columns: number): number {
  return Math.ceil(columns / lanes) * lanes;
}

/** The tools that make quantised rows. */
interface Quantiser {
  quantised(rows: number, columns: number): QuantisedRows;
  quantise(values: Float32Array, weight: Float32Array | null, out: QuantisedRows, row: number): void;
}

/** All rows of a row-major matrix that the tools can reach. */
export function quantiseRows(tools: Quantiser, matrix: Float32Array, columns: number): QuantisedRows {
  const rows = columns === 0 ? 0 : matrix.length / columns;
  const out = tools.quantised(rows, columns);
  for (let row = 0; row < rows; row++) tools.quantise(matrix.subarray(row * columns, (row + 1) * columns), null, out, row);
  return out;
}

/** The plain twin of `quantiseRow`. */
export function quantiseRow(values: Float32Array, weight: Float32Array | null, out: QuantisedRows, row: number): void {
  const entry = (k: number): number => (values[k] as number) * (weight === null ? 1 : (weight[k] as number));
  // Even and odd columns are summed apart, as the kernel does.
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

/** The plain twin of the kernels of dot products, for one query. */
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
