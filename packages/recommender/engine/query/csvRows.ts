import type { Strings } from '../modelFile/sectionMemory.ts';
import type { Ranking } from './ranking.ts';
import type { Recommender } from './recommender.ts';

export const csvHeader = 'source_id,target_id,#,score\n';

const comma = 0x2c;
const quote = 0x22;
const newline = 0x0a;
const carriageReturn = 0x0d;
const one = 0x31;
/** What a row needs beside its ids: commas, rank, score, and the rest of the last word that is copied. */
const rowRestBytes = 64;
const usualBytes = 64 * 1024;
/** A buffer that one long answer has made larger than this is not kept. */
const keptBytesMax = 1024 * 1024;

/** 1 for the bytes that put a field into quotes. */
const isSpecial = new Uint8Array(256);
for (const byte of [0, comma, quote, newline, carriageReturn]) isSpecial[byte] = 1;

/** The three digits of 0 to 999, each with a newline behind them: one store of a word writes them. */
const threeDigits = Uint32Array.from({ length: 1000 }, (_, number) => wordOf(`${String(number).padStart(3, '0')}\n`));
/** Each rank below 1000 with what stands around it, `,rank,0.`, in two words, and how many bytes that takes. */
const rankTexts = Array.from({ length: 1000 }, (_, rank) => `,${rank},0.`);
const rankWords = Uint32Array.from(rankTexts.flatMap((text) => [wordOf(text.slice(0, 4)), wordOf(text.slice(4))]));
const rankBytes = Uint8Array.from(rankTexts, (text) => text.length);

/** String tables in memory without a special byte, whose strings are copied by words; null where that does not hold. */
const plainTables = new WeakMap<Strings, DataView | null>();

/** Looks through a table once: 0.4 ms per MB. Copying by words then saves 2 µs of the 4 µs that 100 rows take. */
function plainTable(strings: Strings): DataView | null {
  let table = plainTables.get(strings);
  if (table === undefined) {
    const { bytes, inMemory } = strings;
    table = inMemory && !bytes.some((byte) => isSpecial[byte] === 1) ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) : null;
    plainTables.set(strings, table);
  }
  return table;
}

function wordOf(text: string): number {
  return Buffer.from(text.padEnd(4), 'latin1').readUInt32BE();
}

/** Bytes of CSV rows, collected without a string per field. */
export class CsvBuffer {
  private bytes: Buffer = Buffer.allocUnsafeSlow(usualBytes);
  private words: DataView = new DataView(this.bytes.buffer);
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
    const plain = plainTable(ids);
    for (let rank = 0; rank < ranking.count; rank += 1) {
      ids.locate(itemNode[ranking.item[rank] ?? 0] ?? 0);
      this.reserve(sourceBytes + fieldBytesMax(ids) + rowRestBytes);
      const { bytes, words } = this;
      // The first source stands where it was written, and is copied onto itself; by words, for it is most often short.
      for (let at = 0; at < sourceBytes; at += 4) words.setUint32(this.end + at, words.getUint32(source + at));
      const target = this.end + sourceBytes;
      const targetEnd = plain !== null && ids.end + 3 <= plain.byteLength ? copyWords(words, target, plain, ids) : writeField(bytes, target, ids);
      const end = writeRank(bytes, words, targetEnd, rank + 1);
      this.end = writeScore(bytes, words, end, ranking.score[rank] ?? 0);
    }
  }

  /** A copy of the collected bytes; the buffer is empty afterwards. */
  take(): Buffer {
    const copy = Buffer.from(this.bytes.subarray(0, this.end));
    this.end = 0;
    if (this.bytes.length > keptBytesMax) this.use(Buffer.allocUnsafeSlow(usualBytes));
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
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.end + more));
    // Behind the end may stand a source already.
    this.bytes.copy(larger);
    this.use(larger);
  }

  private use(bytes: Buffer): void {
    this.bytes = bytes;
    this.words = new DataView(bytes.buffer);
  }
}

/** What the located string takes at most: each of its bytes a quote, and quotes around. */
function fieldBytesMax({ start, end }: Strings): number {
  return 2 * (end - start) + 2;
}

/** Copies the located string by words; up to three bytes behind it are written too, and overwritten next. */
function copyWords(words: DataView, end: number, table: DataView, { start, end: stop }: Strings): number {
  for (let at = start; at < stop; at += 4) words.setUint32(end + at - start, table.getUint32(at));
  return end + stop - start;
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

/** Writes `,rank,0.`, the part of a score before its digits included. */
function writeRank(bytes: Buffer, words: DataView, end: number, rank: number): number {
  if (rank >= rankBytes.length) return end + bytes.write(`,${rank},0.`, end, 'latin1');
  words.setUint32(end, rankWords[2 * rank] ?? 0);
  words.setUint32(end + 4, rankWords[2 * rank + 1] ?? 0);
  return end + (rankBytes[rank] ?? 0);
}

/** Writes the six decimals of a score and a newline behind `0.`, which a score of 1 changes. */
function writeScore(bytes: Buffer, words: DataView, end: number, score: number): number {
  const millionths = Math.round(score * 1e6);
  const fraction = millionths < 1e6 ? millionths : 0;
  if (millionths >= 1e6) bytes[end - 2] = one;
  const thousandths = Math.floor(fraction / 1000);
  words.setUint32(end, threeDigits[thousandths] ?? 0);
  words.setUint32(end + 3, threeDigits[fraction - 1000 * thousandths] ?? 0);
  return end + 7;
}
