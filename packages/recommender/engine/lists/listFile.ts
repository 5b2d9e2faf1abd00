import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { joinRows, rowPointer, type Planes, type ScoredRows } from './listRows.ts';

/** Stretches begin at multiples of this many bytes, so that a position fits into a 32-bit integer. */
const unitBytes = 64;

/**
 * A file that holds finished stretches of lists until the model is written, because the lists of a million items take 2.5 GB.
 * All threads write to the file, each at its own positions.
 */
export interface ListFile {
  path: string;
  descriptor: number;
  /** Number of units already allocated; in shared memory. */
  taken: Int32Array;
}

/**
 * Creates the file, or empties an existing file.
 * @throws file system errors
 */
export function openListFile(path: string): ListFile {
  return { path, descriptor: openSync(path, 'w+'), taken: new Int32Array(new SharedArrayBuffer(4)) };
}

/** Closes and deletes the file. Lists in the file cannot be read afterwards. */
export function closeListFile({ path, descriptor }: ListFile): void {
  closeSync(descriptor);
  rmSync(path, { force: true });
}

/** Position and length of a stretch in the file. */
interface FilePlace {
  unit: number;
  words: number;
}

/** Finished rows, in shared memory or in the file. */
export type Stretch = Int32Array | FilePlace;

/**
 * Stores a copy of finished words.
 * @param file file to write to; null stores the words in memory
 * @throws file system errors
 */
export function keepStretch(words: Int32Array, file: ListFile | null): Stretch {
  if (file === null) {
    const copy = new Int32Array(new SharedArrayBuffer(words.byteLength));
    copy.set(words);
    return copy;
  }
  const unit = Atomics.add(file.taken, 0, Math.ceil(words.byteLength / unitBytes));
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file.descriptor, bytes, done, bytes.length - done, unit * unitBytes + done);
  }
  return { unit, words: words.length };
}

function loadStretch(stretch: Stretch, file: ListFile | null): Int32Array {
  if (stretch instanceof Int32Array) return stretch;
  if (file === null) throw new Error('the lists are in a file, but no file was given');
  const words = new Int32Array(stretch.words);
  const bytes = new Uint8Array(words.buffer);
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(file.descriptor, bytes, done, bytes.length - done, stretch.unit * unitBytes + done);
    if (read === 0) throw new Error(`${file.path} ends inside its lists`);
    done += read;
  }
  return words;
}

/** Yields the words of each stretch in order. */
export function* readStretches(stretches: readonly Stretch[], file: ListFile | null): Generator<Int32Array> {
  for (const stretch of stretches) yield loadStretch(stretch, file);
}

/**
 * Lists that are read from the list file at each access: piece by piece for the model file, as a whole for the array
 * properties.
 */
export class FiledRows implements ScoredRows {
  readonly pointer: Float64Array;
  readonly words: number;
  private readonly pieces: () => Iterable<Int32Array>;
  private readonly length: Int32Array;
  private readonly planes: Planes;

  constructor(length: Int32Array, pieces: () => Iterable<Int32Array>, planes: Planes) {
    this.pointer = rowPointer(length);
    this.pieces = pieces;
    this.words = (this.pointer[length.length] as number) * (1 + planes);
    this.length = length;
    this.planes = planes;
  }

  /** All rows in order, in the byte format of the model file. */
  *bytes(): Generator<Uint8Array> {
    for (const piece of this.pieces()) yield new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
  }

  get index(): Int32Array {
    return joinRows(this.length, this.pieces(), this.planes).index;
  }

  get value(): Float32Array {
    return joinRows(this.length, this.pieces(), this.planes).value;
  }

  get score(): Float32Array {
    return joinRows(this.length, this.pieces(), this.planes).score;
  }
}

/**
 * Rows whose stretches are given in order: read into arrays if `file` is null, otherwise read from the file at each access.
 * @param length number of entries of each row
 * @param pieces yields the words of the stretches
 */
export function keptRows(length: Int32Array, pieces: () => Iterable<Int32Array>, planes: Planes, file: ListFile | null): ScoredRows {
  return file === null ? joinRows(length, pieces(), planes) : new FiledRows(length, pieces, planes);
}
