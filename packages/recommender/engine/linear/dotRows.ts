/** `out[n] = query . matrix[first + n]` for `count` rows in sequence; four rows share each load of the query. */
export function dotRows(
  query: Float64Array,
  matrix: Float32Array,
  first: number,
  count: number,
  columns: number,
  out: Float64Array,
  outOffset: number,
): void {
  const last = first + count - 1;
  for (let n = 0; n < count; n += 4) {
    const row = first + n;
    dotFour(
      query, matrix, row * columns, Math.min(row + 1, last) * columns, Math.min(row + 2, last) * columns,
      Math.min(row + 3, last) * columns, columns, out, outOffset + n, count - n,
    );
  }
}

/** `out[n] = query . matrix[index[n]]` for the first `count` entries of `index`. */
export function dotSelectedRows(
  query: Float64Array,
  matrix: Float32Array,
  index: Int32Array,
  count: number,
  columns: number,
  out: Float64Array,
): void {
  const last = count - 1;
  for (let n = 0; n < count; n += 4) {
    dotFour(
      query, matrix, (index[n] as number) * columns, (index[Math.min(n + 1, last)] as number) * columns,
      (index[Math.min(n + 2, last)] as number) * columns, (index[Math.min(n + 3, last)] as number) * columns,
      columns, out, n, count - n,
    );
  }
}

function dotFour(
  query: Float64Array,
  matrix: Float32Array,
  a: number,
  b: number,
  c: number,
  d: number,
  columns: number,
  out: Float64Array,
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

/** Euclidean length of each row of a row-major matrix. */
export function rowNorms(matrix: Float32Array, rows: number, columns: number): Float64Array {
  const norms = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let k = row * columns; k < (row + 1) * columns; k++) sum += (matrix[k] as number) ** 2;
    norms[row] = Math.sqrt(sum);
  }
  return norms;
}
