import { closeSync, openSync, readSync } from 'node:fs';
import { createRowTools } from '../kernels/createRowTools.ts';
import type { RowTools } from '../kernels/rowTools.ts';
import { entryBytes, type StoredCandidates } from './candidateFile.ts';
import type { CandidateRow } from './candidateRow.ts';
import type { Interactions } from '../matrix/interactions.ts';

/**
 * Reads rows whose candidates an external program selected, one row at a time from the program's file. Items that are not
 * among a row's candidates count as items without common users.
 */
export class StoredRow implements CandidateRow {
  readonly sums: Float32Array;
  readonly touched: Int32Array;
  readonly groupStart: Int32Array;
  readonly candidates: Int32Array;
  readonly candidateCount: Int32Array;
  private readonly tools: RowTools;
  private readonly pointer: Float64Array;
  private readonly itemGroup: Int32Array;
  private readonly file: number;
  private buffer = Buffer.alloc(entryBytes * 1024);

  /** @throws Error of the file system if the file does not exist */
  constructor(interactions: Interactions, itemGroup: Int32Array, groups: number, stored: StoredCandidates) {
    const { items } = interactions;
    this.tools = createRowTools(interactions);
    this.itemGroup = itemGroup;
    this.sums = this.tools.floats(2 * items);
    this.candidates = this.tools.integers(items);
    this.touched = this.candidates;
    this.groupStart = new Int32Array(groups + 1);
    this.candidateCount = new Int32Array(groups);
    this.pointer = stored.pointer;
    this.file = openSync(stored.path, 'r');
  }

  fill(item: number): void {
    const start = this.pointer[item] as number;
    const count = (this.pointer[item + 1] as number) - start;
    const { candidates, candidateCount, groupStart, itemGroup, sums } = this;
    const entries = this.read(start, count);
    candidateCount.fill(0);
    for (let place = 0; place < count; place++) {
      const other = entries.readInt32LE(place * entryBytes);
      const group = itemGroup[other] as number;
      candidates[place] = other;
      sums[2 * other] = entries.readFloatLE(place * entryBytes + 4);
      sums[2 * other + 1] = entries.readFloatLE(place * entryBytes + 8);
      candidateCount[group] = (candidateCount[group] as number) + 1;
    }
    // The file stores a row's candidates ordered by group.
    for (let group = 0; group < candidateCount.length; group++) {
      groupStart[group + 1] = (groupStart[group] as number) + (candidateCount[group] as number);
    }
  }

  clear(): void {
    this.tools.clearSums(this.touched, this.groupStart[this.groupStart.length - 1] as number, this.sums);
  }

  close(): void {
    closeSync(this.file);
  }

  private read(start: number, count: number): Buffer {
    const bytes = count * entryBytes;
    if (this.buffer.length < bytes) this.buffer = Buffer.alloc(2 * bytes);
    for (let done = 0; done < bytes; ) {
      const got = readSync(this.file, this.buffer, done, bytes - done, start * entryBytes + done);
      if (got === 0) throw new Error(`the file of candidates ends within the entries ${start} to ${start + count}`);
      done += got;
    }
    return this.buffer;
  }
}
