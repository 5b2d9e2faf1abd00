import type { Strings } from '../modelFile/sectionMemory.ts';
import type { Ranking } from './ranking.ts';
import type { Recommender } from './recommender.ts';

export const csvHeader = 'source_id,target_id,#,score\n';

const comma = 0x2c;
const quote = 0x22;
const newline = 0x0a;
const carriageReturn = 0x0d;
const point = 0x2e;
const zero = 0x30;
/** What a row needs beside its ids: quotes, commas, rank, score. */
const rowRestBytes = 64;
const usualBytes = 64 * 1024;
/** A buffer that one long answer has made larger than this is not kept. */
const keptBytesMax = 1024 * 1024;

/** 1 for the bytes that put a field into quotes. */
const isSpecial = new Uint8Array(256);
for (const byte of [0, comma, quote, newline, carriageReturn]) isSpecial[byte] = 1;

/** The three digits of 0 to 999, one number after the other: two look-ups write a score, without divisions per digit. */
const threeDigits = Buffer.from(Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0')).join(''));

/** Bytes of CSV rows, collected without a string per field. */
export class CsvBuffer {
  private bytes = Buffer.allocUnsafe(usualBytes);
  private end = 0;

  get length(): number {
    return this.end;
  }

  /** Drops what is collected and begins with the header. */
  begin(): void {
    this.end = this.bytes.write(csvHeader, 'latin1');
  }

  /**
   * Appends one row per entry of a ranking: source, target, rank from 1, score with six decimals.
   * @param sourceNode -1 leaves the source empty
   */
  addRanking(recommender: Recommender, sourceNode: number, ranking: Ranking): void {
    const { ids, itemNode } = recommender.model;
    let source = 0;
    let sourceBytes = 0;
    for (let rank = 0; rank < ranking.count; rank += 1) {
      if (rank === 0) {
        source = this.end;
        if (sourceNode >= 0) this.addString(ids, sourceNode);
        this.bytes[this.end++] = comma;
        sourceBytes = this.end - source;
      } else {
        this.repeat(source, sourceBytes);
      }
      this.addString(ids, itemNode[ranking.item[rank] ?? 0] ?? 0);
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
    if (this.bytes.length > keptBytesMax) this.bytes = Buffer.allocUnsafe(usualBytes);
    return copy;
  }

  /** Appends bytes that stand further in front. A field is mostly shorter than what a call of `copyWithin` costs. */
  private repeat(from: number, count: number): void {
    this.reserve(count);
    const { bytes, end } = this;
    for (let at = 0; at < count; at += 1) bytes[end + at] = bytes[from + at] ?? 0;
    this.end = end + count;
  }

  private addString(strings: Strings, at: number): void {
    strings.locate(at);
    const { bytes: from, start, end: stop } = strings;
    this.reserve(2 * (stop - start) + rowRestBytes);
    const { bytes } = this;
    let end = this.end;
    for (let place = start; place < stop; place += 1) {
      const byte = from[place] ?? 0;
      if (isSpecial[byte] === 1) return this.addQuoted(from, start, stop);
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

  /** @param value 1 to 999,999 */
  private addInteger(value: number): void {
    const { bytes } = this;
    if (value >= 1000) {
      this.addInteger(Math.floor(value / 1000));
      this.addThousandth(value % 1000);
      return;
    }
    if (value >= 100) bytes[this.end++] = threeDigits[3 * value] ?? 0;
    if (value >= 10) bytes[this.end++] = threeDigits[3 * value + 1] ?? 0;
    bytes[this.end++] = threeDigits[3 * value + 2] ?? 0;
  }

  private addScore(score: number): void {
    const millionths = Math.round(score * 1e6);
    const { bytes } = this;
    bytes[this.end++] = zero + (millionths >= 1e6 ? 1 : 0);
    bytes[this.end++] = point;
    const fraction = millionths % 1e6;
    const thousandths = Math.floor(fraction / 1000);
    this.addThousandth(thousandths);
    this.addThousandth(fraction - 1000 * thousandths);
  }

  /** Appends three digits. */
  private addThousandth(value: number): void {
    const { bytes, end } = this;
    bytes[end] = threeDigits[3 * value] ?? 0;
    bytes[end + 1] = threeDigits[3 * value + 1] ?? 0;
    bytes[end + 2] = threeDigits[3 * value + 2] ?? 0;
    this.end = end + 3;
  }

  private reserve(more: number): void {
    if (this.end + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.end + more));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}
