import type { SparseRows } from '../trainedModel.ts';

/** Keeps the last `limit` entries of each row (of histories: the latest); returns `rows` itself if none is longer. */
export function capRows(rows: SparseRows, limit: number): SparseRows {
  const count = rows.pointer.length - 1;
  const pointer = new Float64Array(count + 1);
  for (let row = 0; row < count; row++) {
    const length = (rows.pointer[row + 1] as number) - (rows.pointer[row] as number);
    pointer[row + 1] = (pointer[row] as number) + Math.min(length, limit);
  }
  if (pointer[count] === rows.index.length) return rows;
  const index = new Int32Array(pointer[count] as number);
  for (let row = 0; row < count; row++) {
    const end = rows.pointer[row + 1] as number;
    const kept = (pointer[row + 1] as number) - (pointer[row] as number);
    index.set(rows.index.subarray(end - kept, end), pointer[row] as number);
  }
  return { pointer, index };
}
