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
/** What a row needs beside its ids: commas, rank, score. */
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
    const source = this.end;
    const sourceBytes = this.writeSource(ids, sourceNode);
    for (let rank = 0; rank < ranking.count; rank += 1) {
      ids.locate(itemNode[ranking.item[rank] ?? 0] ?? 0);
      this.reserve(sourceBytes + fieldBytesMax(ids) + rowRestBytes);
      const { bytes } = this;
      let end = this.end;
      // The first source stands where it was written, and is copied onto itself.
      for (let at = 0; at < sourceBytes; at += 1) bytes[end++] = bytes[source + at] ?? 0;
      end = writeField(bytes, end, ids);
      bytes[end++] = comma;
      end = writeInteger(bytes, end, rank + 1);
      bytes[end++] = comma;
      end = writeScore(bytes, end, ranking.score[rank] ?? 0);
      bytes[end++] = newline;
      this.end = end;
    }
  }

  /** A copy of the collected bytes; the buffer is empty afterwards. */
  take(): Buffer {
    const copy = Buffer.from(this.bytes.subarray(0, this.end));
    this.end = 0;
    if (this.bytes.length > keptBytesMax) this.bytes = Buffer.allocUnsafe(usualBytes);
    return copy;
  }

  /** Writes the first column with its comma where the next row begins. @returns its bytes */
  private writeSource(ids: Strings, node: number): number {
    if (node >= 0) ids.locate(node);
    this.reserve((node >= 0 ? fieldBytesMax(ids) : 0) + rowRestBytes);
    const end = node >= 0 ? writeField(this.bytes, this.end, ids) : this.end;
    this.bytes[end] = comma;
    return end + 1 - this.end;
  }

  private reserve(more: number): void {
    if (this.end + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.end + more));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}

/** What the located string takes at most: each of its bytes a quote, and quotes around. */
function fieldBytesMax({ start, end }: Strings): number {
  return 2 * (end - start) + 2;
}

/** Writes the located string to `bytes` from `end`, in quotes where it needs them. @returns the new end, as all of these */
function writeField(bytes: Buffer, end: number, strings: Strings): number {
  const { bytes: from, start, end: stop } = strings;
  let place = end;
  for (let at = start; at < stop; at += 1) {
    const byte = from[at] ?? 0;
    if (isSpecial[byte] === 1) return writeQuoted(bytes, end, strings);
    bytes[place++] = byte;
  }
  return place;
}

function writeQuoted(bytes: Buffer, end: number, { bytes: from, start, end: stop }: Strings): number {
  let place = end;
  bytes[place++] = quote;
  for (let at = start; at < stop; at += 1) {
    const byte = from[at] ?? 0;
    if (byte === quote) bytes[place++] = quote;
    bytes[place++] = byte;
  }
  bytes[place++] = quote;
  return place;
}

/** @param value 1 to 999,999 */
function writeInteger(bytes: Buffer, end: number, value: number): number {
  if (value >= 1000) {
    const thousands = Math.floor(value / 1000);
    return writeThree(bytes, writeInteger(bytes, end, thousands), value - 1000 * thousands);
  }
  let place = end;
  if (value >= 100) bytes[place++] = threeDigits[3 * value] ?? 0;
  if (value >= 10) bytes[place++] = threeDigits[3 * value + 1] ?? 0;
  bytes[place++] = threeDigits[3 * value + 2] ?? 0;
  return place;
}

function writeScore(bytes: Buffer, end: number, score: number): number {
  const millionths = Math.round(score * 1e6);
  const whole = millionths >= 1e6 ? 1 : 0;
  const fraction = millionths - 1e6 * whole;
  const thousandths = Math.floor(fraction / 1000);
  bytes[end] = zero + whole;
  bytes[end + 1] = point;
  return writeThree(bytes, writeThree(bytes, end + 2, thousandths), fraction - 1000 * thousandths);
}

function writeThree(bytes: Buffer, end: number, value: number): number {
  bytes[end] = threeDigits[3 * value] ?? 0;
  bytes[end + 1] = threeDigits[3 * value + 1] ?? 0;
  bytes[end + 2] = threeDigits[3 * value + 2] ?? 0;
  return end + 3;
}
