import type { WeightedRows } from '../data/trainedModel.ts';

/** Rows of lists with a score per entry, as models have them. */
export type ScoredRows = WeightedRows & { score: Float32Array };

/** Floats that each entry has beside its item: its value, or value and score. */
export type Planes = 1 | 2;

const firstWords = 4096;
/** Finished words that lie together where all are kept: larger arrays would be copied each time they grow. */
const pieceWords = 1 << 20;

/**
 * Rows of lists that are being made, in rising order. Finished ones lie one after the other as they will in the model file, a
 * row's items before its values before its scores, until they are taken away; so there need be room for a few of them only.
 */
export class ListRows {
  /** Entries of each row. */
  readonly length: Int32Array;
  protected readonly planes: Planes;
  private words = new Int32Array(firstWords);
  private floats = new Float32Array(this.words.buffer);
  private filled = 0;
  /** The row that is being made. */
  private items = new Int32Array(firstWords);
  private values = new Float32Array(firstWords);
  private scores = new Float32Array(firstWords);
  private count = 0;

  /** @param length of zeros, one per row; threads that make different rows may share it */
  constructor(length: Int32Array, planes: Planes) {
    this.length = length;
    this.planes = planes;
  }

  /** Words that are finished and not taken yet. */
  get finished(): number {
    return this.filled;
  }

  /** Adds an entry to the row that is being made. */
  add(item: number, value: number, score = 0): void {
    const place = this.count++;
    if (place === this.items.length) this.growOpen();
    this.items[place] = item;
    this.values[place] = value;
    this.scores[place] = score;
  }

  /** Ends the row that is being made. */
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

  /** The words of the rows that were finished since it was called last; they are overwritten when the next row ends. */
  take(): Int32Array {
    const taken = this.words.subarray(0, this.filled);
    this.filled = 0;
    return taken;
  }

  /** Makes room for twice as long a row. */
  private growOpen(): void {
    const { items, values, scores } = this;
    this.items = grown(items, 2 * items.length);
    this.values = new Float32Array(this.items.length);
    this.values.set(values);
    this.scores = new Float32Array(this.items.length);
    this.scores.set(scores);
  }
}

/** Rows that are joined when all are made. */
export class WholeRows extends ListRows {
  private readonly pieces: Int32Array[] = [];

  constructor(rows: number, planes: Planes) {
    super(new Int32Array(rows), planes);
  }

  override end(row: number): void {
    super.end(row);
    if (this.finished >= pieceWords) this.pieces.push(this.take().slice());
  }

  /** Arrays of all rows; called once. */
  join(): ScoredRows {
    return joinRows(this.length, [...this.pieces.splice(0), this.take()], this.planes);
  }
}

function grown(words: Int32Array<ArrayBuffer>, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(least, 2 * words.length));
  larger.set(words);
  return larger;
}

/** Where each row begins, from the lengths of all. */
export function rowPointer(length: Int32Array): Float64Array {
  const pointer = new Float64Array(length.length + 1);
  for (let row = 0; row < length.length; row++) pointer[row + 1] = (pointer[row] as number) + (length[row] as number);
  return pointer;
}

/** Arrays of the rows whose words come in pieces of whole rows; without scores these are empty. */
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

/** Shows each row that has entries: its words, and the same memory as floats. */
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
