import type { WeightedRows } from '../trainedModel.ts';

/** Rows of lists with a score per entry, as models have them. */
export type ScoredRows = WeightedRows & { score: Float32Array };

/**
 * Lists that are written row by row, in any order and by several threads: each row has room of its own, which is as much as
 * it may need. Memory that no row fills is never touched, and `join` moves the rows together.
 */
export interface ListRows {
  /** Where each row's room begins; one entry more than there are rows. */
  room: Float64Array;
  /** Entries that each row has. */
  length: Int32Array;
  index: Int32Array;
  value: Float32Array;
  score: Float32Array;
}

/** @param most for each row, the most entries that it may get */
export function makeListRows(rows: number, most: (row: number) => number): ListRows {
  const room = new Float64Array(new SharedArrayBuffer(8 * (rows + 1)));
  for (let row = 0; row < rows; row++) room[row + 1] = (room[row] as number) + most(row);
  const bytes = 4 * (room[rows] as number);
  return {
    room,
    length: new Int32Array(new SharedArrayBuffer(4 * rows)),
    index: new Int32Array(new SharedArrayBuffer(bytes)),
    value: new Float32Array(new SharedArrayBuffer(bytes)),
    score: new Float32Array(new SharedArrayBuffer(bytes)),
  };
}

/** Adds an entry to a row. */
export function addEntry(lists: ListRows, row: number, index: number, value: number, score: number): void {
  const length = lists.length[row] as number;
  const place = (lists.room[row] as number) + length;
  if (place >= (lists.room[row + 1] as number)) throw new RangeError(`row ${row} has more entries than it may have`);
  lists.index[place] = index;
  lists.value[place] = value;
  lists.score[place] = score;
  lists.length[row] = length + 1;
}

/** Moves the rows together, in place; the lists may not be written to afterwards. */
export function joinRows({ room, length, index, value, score }: ListRows): ScoredRows {
  const pointer = new Float64Array(length.length + 1);
  for (let row = 0; row < length.length; row++) {
    const from = room[row] as number;
    const count = length[row] as number;
    const to = pointer[row] as number;
    if (from !== to) for (const array of [index, value, score]) array.copyWithin(to, from, from + count);
    pointer[row + 1] = to + count;
  }
  const total = pointer[length.length] as number;
  return { pointer, index: index.subarray(0, total), value: value.subarray(0, total), score: score.subarray(0, total) };
}
