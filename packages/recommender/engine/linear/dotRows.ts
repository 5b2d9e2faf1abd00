/**
 * `out[n] = query . matrix[index[n]]` for the first `count` entries of `index`, or for the first `count` rows where that is
 * null; four rows share each load of the query.
 */
export function dotSelectedRows(
  query: Float32Array,
  matrix: Float32Array,
  index: Int32Array | null,
  count: number,
  columns: number,
  out: Float32Array,
): void {
  const last = count - 1;
  const at = (n: number): number => columns * (index === null ? Math.min(n, last) : (index[Math.min(n, last)] as number));
  for (let n = 0; n < count; n += 4) {
    dotFour(query, matrix, at(n), at(n + 1), at(n + 2), at(n + 3), columns, out, n, count - n);
  }
}

function dotFour(
  query: Float32Array,
  matrix: Float32Array,
  a: number,
  b: number,
  c: number,
  d: number,
  columns: number,
  out: Float32Array,
  place: number,
  wanted: number,
): void {
  let sumA = 0;
  let sumB = 0;
  let sumC = 0;
  let sumD = 0;
  for (let k = 0; k < columns; k++) {
    const q = query[k] as number;
    sumA += q * (matrix[a + k] as number);
    sumB += q * (matrix[b + k] as number);
    sumC += q * (matrix[c + k] as number);
    sumD += q * (matrix[d + k] as number);
  }
  out[place] = sumA;
  if (wanted > 1) out[place + 1] = sumB;
  if (wanted > 2) out[place + 2] = sumC;
  if (wanted > 3) out[place + 3] = sumD;
}

/** Euclidean length of each row of a row-major matrix, whose columns are scaled where `scale` is given. */
export function rowNorms(matrix: Float32Array, rows: number, columns: number, scale?: Float64Array): Float64Array {
  const norms = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let k = 0; k < columns; k++) sum += ((matrix[row * columns + k] as number) * (scale === undefined ? 1 : (scale[k] as number))) ** 2;
    norms[row] = Math.sqrt(sum);
  }
  return norms;
}
