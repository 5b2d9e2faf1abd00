import type { WeightedRows } from '../data/trainedModel.ts';

/** Rows of lists with a score per entry, in the form that models contain. */
export type ScoredRows = WeightedRows & { score: Float32Array };

/** Number of floats per entry beside the item: 1 for the value, 2 for value and score. */
export type Planes = 1 | 2;

const firstWords = 4096;
/** Number of finished words per piece; a single larger array would be copied each time it grows. */
const pieceWords = 1 << 20;

/**
 * Builds rows of lists in ascending order. Finished rows are stored in the format of the model file (a row's items, then its
 * values, then its scores) until `take` removes them, so only a few rows are in memory at a time.
 */
export class ListRows {
  /** Number of entries of each row. */
  readonly length: Int32Array;
  protected readonly planes: Planes;
  private words = new Int32Array(firstWords);
  private floats = new Float32Array(this.words.buffer);
  private filled = 0;
  /** Entries of the row that is being built. */
  private items = new Int32Array(firstWords);
  private values = new Float32Array(firstWords);
  private scores = new Float32Array(firstWords);
  private count = 0;

  /** @param length zeros, one per row; threads that build different rows can share the array */
  constructor(length: Int32Array, planes: Planes) {
    this.length = length;
    this.planes = planes;
  }

  /** Number of finished words that `take` has not yet returned. */
  get finished(): number {
    return this.filled;
  }

  /** Adds an entry to the row that is being built. */
  add(item: number, value: number, score = 0): void {
    const place = this.count++;
    if (place === this.items.length) this.growOpen();
    this.items[place] = item;
    this.values[place] = value;
    this.scores[place] = score;
  }

  /** Ends the row that is being built. */
  end(row: number): void {
    const { count, planes, filled } = this;
    const size = count * (1 + planes);
    if (filled + size > this.words.length) {
      this.words = grown(this.words, filled + size);
      this.floats = new Float32Array(this.words.buffer);
    }
    this.words.set(this.items.subarray(0, count), filled);
    this.floats.set(this.values.subarray(0, count), filled + count);
    if (planes === 2) this.floats.set(this.scores.subarray(0, count), filled + 2 * count);
    this.length[row] = count;
    this.filled += size;
    this.count = 0;
  }

  /** Returns the words of the rows finished since the last call. The next finished row overwrites these words. */
  take(): Int32Array {
    const taken = this.words.subarray(0, this.filled);
    this.filled = 0;
    return taken;
  }

  /** Doubles the room for the row that is being built. */
  private growOpen(): void {
    const { items, values, scores } = this;
    this.items = grown(items, 2 * items.length);
    this.values = new Float32Array(this.items.length);
    this.values.set(values);
    this.scores = new Float32Array(this.items.length);
    this.scores.set(scores);
  }
}

/** Builds rows that stay in memory until all are joined. */
export class WholeRows extends ListRows {
  private readonly pieces: Int32Array[] = [];

  constructor(rows: number, planes: Planes) {
    super(new Int32Array(rows), planes);
  }

  override end(row: number): void {
    super.end(row);
    if (this.finished >= pieceWords) this.pieces.push(this.take().slice());
  }

  /** Returns the arrays of all rows; can be called once. */
  join(): ScoredRows {
    return joinRows(this.length, [...this.pieces.splice(0), this.take()], this.planes);
  }
}

function grown(words: Int32Array<ArrayBuffer>, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(least, 2 * words.length));
  larger.set(words);
  return larger;
}

/** Start of each row, computed from the lengths of all rows. */
export function rowPointer(length: Int32Array): Float64Array {
  const pointer = new Float64Array(length.length + 1);
  for (let row = 0; row < length.length; row++) pointer[row + 1] = (pointer[row] as number) + (length[row] as number);
  return pointer;
}

/** Joins pieces of whole rows into arrays. The scores are empty if rows have no scores. */
export function joinRows(length: Int32Array, pieces: Iterable<Int32Array>, planes: Planes): ScoredRows {
  const pointer = rowPointer(length);
  const total = pointer[length.length] as number;
  const index = new Int32Array(total);
  const floats = [new Float32Array(total), new Float32Array(planes === 2 ? total : 0)] as const;
  eachRow(length, pieces, planes, (row, words, values) => {
    const count = length[row] as number;
    const to = pointer[row] as number;
    index.set(words.subarray(0, count), to);
    for (let plane = 0; plane < planes; plane++) floats[plane]?.set(values.subarray((1 + plane) * count, (2 + plane) * count), to);
  });
  return { pointer, index, value: floats[0], score: floats[1] };
}

/** Calls `visit` for each row that has entries, with the row's words and a float view of the same memory. */
export function eachRow(
  length: Int32Array, pieces: Iterable<Int32Array>, planes: Planes, visit: (row: number, words: Int32Array, floats: Float32Array) => void,
): void {
  let row = 0;
  for (const piece of pieces) {
    const floats = new Float32Array(piece.buffer, piece.byteOffset, piece.length);
    for (let at = 0; at < piece.length; row++) {
      const end = at + (length[row] as number) * (1 + planes);
      if (end > at) visit(row, piece.subarray(at, end), floats.subarray(at, end));
      at = end;
    }
  }
}
