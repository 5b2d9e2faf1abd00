import type { SectionContent } from './sectionFile.ts';

/** The same memory as integers and as floats. */
interface Words {
  ints: Int32Array;
  floats: Float32Array;
}

/** Reads bytes of one section into `target`; `resident` holds the words if the section is in memory. */
export interface WordSource {
  resident: Words | null;
  read(wordOffset: number, target: Uint8Array): void;
}

/** Returns a source over words in memory; both arrays are views of the same memory. */
export function inMemory(ints: Int32Array, floats: Float32Array): WordSource {
  return { resident: { ints, floats }, read: () => undefined };
}

/** Returns a source over a copy of numbers, as floats, in which 0 follow the given numbers up to `length`. */
export function toWords(given: ArrayLike<number>, length = given.length): WordSource {
  const floats = new Float32Array(length);
  floats.set(given);
  return inMemory(new Int32Array(floats.buffer), floats);
}

/**
 * One row of a sparse matrix in the file's format: `count` indexes, then planes of `count` floats each. `ints` and `floats`
 * are views of the same memory. The row is valid until it is filled again.
 */
export class Row {
  ints: Int32Array = new Int32Array(0);
  floats: Float32Array = new Float32Array(0);
  /** Position of the first index. */
  start = 0;
  count = 0;
  private scratch: Words = { ints: this.ints, floats: this.floats };
  private bytes = new Uint8Array(0);

  /** Fills the row with `words` 4-byte words of a source, starting at word `offset`. */
  fill(source: WordSource, offset: number, words: number, count: number): void {
    this.count = count;
    if (source.resident === null) {
      this.reserve(words * 4);
      source.read(offset, this.bytes.subarray(0, words * 4));
      this.start = 0;
      this.show(this.scratch);
    } else {
      this.start = offset;
      this.show(source.resident);
    }
  }

  private show({ ints, floats }: Words): void {
    this.ints = ints;
    this.floats = floats;
  }

  private reserve(bytes: number): void {
    if (this.bytes.length >= bytes) return;
    const ints = new Int32Array(Math.max(1024, bytes / 2));
    this.scratch = { ints, floats: new Float32Array(ints.buffer) };
    this.bytes = new Uint8Array(ints.buffer);
  }
}

/** Rows of `1 + planes` words per entry, located by a pointer array. */
export class RowTable {
  readonly pointer: Float64Array;
  private readonly source: WordSource;
  private readonly words: number;

  constructor(pointer: Float64Array, source: WordSource, planes: number) {
    this.pointer = pointer;
    this.source = source;
    this.words = 1 + planes;
  }

  count(row: number): number {
    return (this.pointer[row + 1] ?? 0) - (this.pointer[row] ?? 0);
  }

  /** Reads a row from entry `from` to the end. Only tables without planes allow a `from` above 0. */
  read(row: number, into: Row, from = 0): void {
    const count = Math.max(0, this.count(row) - from);
    into.fill(this.source, ((this.pointer[row] ?? 0) + from) * this.words, count * this.words, count);
  }
}

const pieceEntries = 1 << 20;

/** The section of a sparse matrix that stores each row contiguously: indexes, then one plane per float array. */
export function encodeRows(pointer: Float64Array, index: Int32Array, planes: Float32Array[]): SectionContent {
  const words = 1 + planes.length;
  return { type: 'int32', length: index.length * words, pieces: () => encodePieces(pointer, index, planes) };
}

function* encodePieces(pointer: Float64Array, index: Int32Array, planes: Float32Array[]): Iterable<Uint8Array> {
  const rows = pointer.length - 1;
  let first = 0;
  while (first < rows) {
    let last = first + 1;
    while (last < rows && (pointer[last + 1] ?? 0) - (pointer[first] ?? 0) <= pieceEntries) last += 1;
    yield encodePiece(pointer, index, planes, first, last);
    first = last;
  }
}

function encodePiece(
  pointer: Float64Array,
  index: Int32Array,
  planes: Float32Array[],
  first: number,
  last: number,
): Uint8Array {
  const from = pointer[first] ?? 0;
  const ints = new Int32Array(((pointer[last] ?? 0) - from) * (1 + planes.length));
  const floats = new Float32Array(ints.buffer);
  let at = 0;
  for (let row = first; row < last; row += 1) {
    const start = pointer[row] ?? 0;
    const end = pointer[row + 1] ?? 0;
    ints.set(index.subarray(start, end), at);
    at += end - start;
    for (const plane of planes) {
      floats.set(plane.subarray(start, end), at);
      at += end - start;
    }
  }
  return new Uint8Array(ints.buffer);
}
