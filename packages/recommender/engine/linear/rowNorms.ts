/**
 * Euclidean length of each row of a row-major matrix.
 * @param scale factor of each column; omitted for ones
 */
export function rowNorms(matrix: Float32Array, rows: number, columns: number, scale?: Float64Array): Float64Array {
  const norms = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let k = 0; k < columns; k++) sum += ((matrix[row * columns + k] as number) * (scale === undefined ? 1 : (scale[k] as number))) ** 2;
    norms[row] = Math.sqrt(sum);
  }
  return norms;
}
