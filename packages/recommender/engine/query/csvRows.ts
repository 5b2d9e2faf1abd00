import type { Strings } from '../modelFile/sectionMemory.ts';
import type { Ranking } from './ranking.ts';
import type { Recommender } from './recommender.ts';

export const csvHeader = 'source_id,target_id,#,score\n';

const comma = 0x2c;
const quote = 0x22;
const newline = 0x0a;
const carriageReturn = 0x0d;
const zero = 0x30;
/** Two ids of 1,024 bytes, doubled quotes and quotes around, rank, score. */
const rowBytesMax = 2 * (2 * 1024 + 2) + 40;

/** Bytes of CSV rows, collected without a string per field. */
export class CsvBuffer {
  private bytes = Buffer.allocUnsafe(64 * 1024);
  private end = 0;
  private source = Buffer.alloc(0);

  get length(): number {
    return this.end;
  }

  /**
   * Appends one row per entry of a ranking: source, target, rank from 1, score with six decimals.
   * @param sourceNode -1 leaves the source empty
   */
  addRanking(recommender: Recommender, sourceNode: number, ranking: Ranking): void {
    const { model } = recommender;
    const sourceStart = this.end;
    if (sourceNode >= 0) this.addString(model.ids, sourceNode);
    this.source = Buffer.from(this.bytes.subarray(sourceStart, this.end));
    this.end = sourceStart;
    for (let rank = 0; rank < ranking.count; rank += 1) {
      this.reserve(rowBytesMax + this.source.length);
      this.end += this.source.copy(this.bytes, this.end);
      this.bytes[this.end++] = comma;
      this.addString(model.ids, model.itemNode[ranking.item[rank] ?? 0] ?? 0);
      this.bytes[this.end++] = comma;
      this.addInteger(rank + 1);
      this.bytes[this.end++] = comma;
      this.addScore(ranking.score[rank] ?? 0);
      this.bytes[this.end++] = newline;
    }
  }

  /** A copy of the collected bytes; the buffer is empty afterwards. */
  take(): Buffer {
    const copy = Buffer.from(this.bytes.subarray(0, this.end));
    this.end = 0;
    return copy;
  }

  private addString(strings: Strings, at: number): void {
    strings.locate(at);
    this.reserve((strings.end - strings.start) * 2 + rowBytesMax);
    const { bytes } = this;
    const from = strings.bytes;
    const begin = this.end;
    let end = begin;
    for (let place = strings.start; place < strings.end; place += 1) {
      const byte = from[place] ?? 0;
      if (byte === comma || byte === quote || byte === newline || byte === carriageReturn || byte === 0) {
        this.addQuoted(from, strings.start, strings.end);
        return;
      }
      bytes[end++] = byte;
    }
    this.end = end;
  }

  private addQuoted(from: Buffer, start: number, end: number): void {
    const { bytes } = this;
    bytes[this.end++] = quote;
    for (let place = start; place < end; place += 1) {
      const byte = from[place] ?? 0;
      if (byte === quote) bytes[this.end++] = quote;
      bytes[this.end++] = byte;
    }
    bytes[this.end++] = quote;
  }

  private addInteger(value: number): void {
    let divisor = 1;
    while (divisor * 10 <= value) divisor *= 10;
    for (; divisor >= 1; divisor = Math.floor(divisor / 10)) {
      this.bytes[this.end++] = zero + (Math.floor(value / divisor) % 10);
    }
  }

  private addScore(score: number): void {
    const millionths = Math.round(score * 1e6);
    const { bytes } = this;
    bytes[this.end++] = zero + (millionths >= 1e6 ? 1 : 0);
    bytes[this.end++] = 0x2e;
    let rest = millionths % 1e6;
    for (let digit = this.end + 5; digit >= this.end; digit -= 1) {
      bytes[digit] = zero + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    this.end += 6;
  }

  private reserve(more: number): void {
    if (this.end + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.end + more));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}
