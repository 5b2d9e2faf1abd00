import type { SparseRows } from '../trainedModel.ts';

/** Number of entries of each row: the degrees of users or items. */
export function rowLengths(rows: SparseRows): Float64Array {
  const lengths = new Float64Array(rows.pointer.length - 1);
  for (let row = 0; row < lengths.length; row++) {
    lengths[row] = (rows.pointer[row + 1] as number) - (rows.pointer[row] as number);
  }
  return lengths;
}
