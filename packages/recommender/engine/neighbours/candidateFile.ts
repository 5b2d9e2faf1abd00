import { closeSync, openSync, writeSync } from 'node:fs';

/** Item, weighted and plain number of common users: an integer and two floats. */
export const entryBytes = 12;
/** Entries that are written at once, 768 KB. */
const chunkEntries = 65_536;

/** Candidates of all rows in a file of the machine that trains; threads share the pointer and read rows by themselves. */
export interface StoredCandidates {
  path: string;
  /** Entries of item i are `pointer[i] .. pointer[i + 1]`. */
  pointer: Float64Array;
}

/** Writes a file of candidates, row by row. */
export class CandidateWriter {
  private readonly path: string;
  private readonly pointer: Float64Array;
  private readonly itemGroup: Int32Array;
  private readonly file: number;
  private readonly buffer = Buffer.alloc(entryBytes * chunkEntries);
  private buffered = 0;
  private item = 0;
  private group = 0;
  private count = 0;

  /** @param itemGroup group of each item, by its place in the target types */
  constructor(path: string, itemGroup: Int32Array) {
    this.path = path;
    this.itemGroup = itemGroup;
    this.pointer = new Float64Array(new SharedArrayBuffer(8 * (itemGroup.length + 1)));
    this.file = openSync(path, 'w');
  }

  /**
   * Adds a candidate; items in rising order, of an item one group after the other.
   * @throws RangeError where items are not in order or not in the catalogue
   */
  add(item: number, other: number, sum: number, common: number): void {
    const group = this.itemGroup[other];
    if (!(item >= this.item && item < this.itemGroup.length) || group === undefined || (item === this.item && group < this.group)) {
      throw new RangeError(`candidate ${other} of item ${item} is not in order`);
    }
    while (this.item < item) this.pointer[++this.item] = this.count;
    this.group = group;
    const place = this.buffered++ * entryBytes;
    this.buffer.writeInt32LE(other, place);
    this.buffer.writeFloatLE(sum, place + 4);
    this.buffer.writeFloatLE(common, place + 8);
    this.count++;
    if (this.buffered === chunkEntries) this.flush();
  }

  finish(): StoredCandidates {
    this.flush();
    closeSync(this.file);
    this.pointer.fill(this.count, this.item + 1);
    return { path: this.path, pointer: this.pointer };
  }

  private flush(): void {
    const bytes = this.buffered * entryBytes;
    for (let done = 0; done < bytes; ) done += writeSync(this.file, this.buffer, done, bytes - done);
    this.buffered = 0;
  }
}
