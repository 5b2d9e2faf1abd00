import { closeSync, openSync, writeSync } from 'node:fs';

/** Bytes of an entry: the item (32-bit integer), and the weighted and plain number of common users (two 32-bit floats). */
export const entryBytes = 12;
/** Entries that the writer buffers before a write: 768 KB. */
const chunkEntries = 65_536;

/** Candidates of all rows in a file on the training machine. Threads share `pointer` and read rows independently. */
export interface StoredCandidates {
  path: string;
  /** Item i has the entries `pointer[i] .. pointer[i + 1]`. */
  pointer: Float64Array;
}

/** Writes a candidate file row by row. */
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

  /**
   * @param path path of the file to write
   * @param itemGroup group of each item: the index of the item's type in the target types
   */
  constructor(path: string, itemGroup: Int32Array) {
    this.path = path;
    this.itemGroup = itemGroup;
    this.pointer = new Float64Array(new SharedArrayBuffer(8 * (itemGroup.length + 1)));
    this.file = openSync(path, 'w');
  }

  /**
   * Adds a candidate. Items must come in ascending order, and the candidates of an item ordered by group.
   * @param sum weighted number of common users
   * @param common plain number of common users
   * @throws RangeError if items or groups are out of order, or an item is not in the catalogue
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
