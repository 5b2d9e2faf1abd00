import type { SparseRows } from '../data/trainedModel.ts';

/**
 * Transposes a binary CSR matrix; the entries of each new row are ascending.
 * @param columns number of columns of `rows`
 */
export function transpose(rows: SparseRows, columns: number): SparseRows {
  const pointer = new Float64Array(columns + 1);
  for (const column of rows.index) pointer[column + 1] = (pointer[column + 1] as number) + 1;
  for (let column = 0; column < columns; column++) {
    pointer[column + 1] = (pointer[column + 1] as number) + (pointer[column] as number);
  }
  const next = pointer.slice();
  const index = new Int32Array(rows.index.length);
  for (let row = 0; row + 1 < rows.pointer.length; row++) {
    const end = rows.pointer[row + 1] as number;
    for (let entry = rows.pointer[row] as number; entry < end; entry++) {
      const column = rows.index[entry] as number;
      const place = next[column] as number;
      index[place] = row;
      next[column] = place + 1;
    }
  }
  return { pointer, index };
}
