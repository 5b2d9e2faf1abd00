import type { Strings } from '../modelFile/sectionMemory.ts';
import type { ItemTexts } from './itemTexts.ts';
import type { Ranking } from './ranking.ts';
import type { Recommender, Source } from './recommender.ts';

export const csvHeader = 'source_id,target_id,#,score\n';

const comma = 0x2c;
const quote = 0x22;
const newline = 0x0a;
const carriageReturn = 0x0d;
const one = 0x31;
/** What a row needs beside its ids: commas, rank, score, and the rest of the last word that is copied. */
const rowRestBytes = 40;
const usualBytes = 64 * 1024;
/** Up to this size an answer is handed out as a part of the buffer, which the next ones share; longer ones are copied. */
const maxSharedBytes = 8 * 1024;
/** A buffer that one long answer has made larger than this is not kept. */
const maxKeptBytes = 1024 * 1024;

/** 1 for the bytes that put a field into quotes. */
const isSpecial = new Uint8Array(256);
for (const byte of [0, comma, quote, newline, carriageReturn]) isSpecial[byte] = 1;

/** The three digits of 0 to 999, each with a newline behind them: one store of a word writes them. */
const threeDigits = Uint32Array.from({ length: 1000 }, (_, number) => wordOf(`${String(number).padStart(3, '0')}\n`));
/** Each rank below 1000 with the characters around it, `,rank,0.`, in two words, and how many bytes that takes. */
const rankTexts = Array.from({ length: 1000 }, (_, rank) => `,${rank},0.`);
const rankWords = Uint32Array.from(rankTexts.flatMap((text) => [wordOf(text.slice(0, 4)), wordOf(text.slice(4))]));
const rankBytes = Uint8Array.from(rankTexts, (text) => text.length);

/** First bytes of a field that spreadsheets take for a formula: = + - @, tab, carriage return, newline. */
const startsFormula = new Uint8Array(256);
for (const character of '=+-@\t\r\n') startsFormula[character.charCodeAt(0)] = 1;
/** Last of the three bytes of the full-width forms of = + - @ (U+FF1D, U+FF0B, U+FF0D, U+FF20), which some spreadsheets read alike. */
const fullWidthEnds: readonly number[] = [0x9d, 0x8b, 0x8d, 0xa0];

type Field = Pick<Strings, 'bytes' | 'start' | 'end'>;

function wordOf(text: string): number {
  return Buffer.from(text.padEnd(4), 'latin1').readUInt32BE();
}

/**
 * Bytes of CSV rows, collected without a string per field. Short answers are handed out without a copy or a buffer of their
 * own; the pieces of a stream are copied, since each would keep twice its size in memory.
 */
export class CsvBuffer {
  private bytes: Buffer = Buffer.allocUnsafeSlow(usualBytes);
  private words: DataView = new DataView(this.bytes.buffer);
  /** Where what is collected begins; what was handed out lies before it. */
  private start = 0;
  private end = 0;
  /** Whether an apostrophe goes before fields that a spreadsheet would take for a formula. */
  private readonly safe: boolean;

  constructor(safe = false) {
    this.safe = safe;
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Drops what is collected and begins with the header. */
  begin(): void {
    this.end = this.start;
    this.reserve(csvHeader.length);
    this.end += this.bytes.write(csvHeader, this.start, 'latin1');
  }

  /**
   * Appends one row per entry of a ranking: source, target, rank from 1, score with six decimals.
   * @param source -1 leaves the source empty
   */
  addRanking(recommender: Recommender, source: Source, ranking: Ranking): void {
    const texts = this.safe ? null : recommender.itemTexts();
    if (texts !== null) this.addPlainRows(recommender, texts, source, ranking);
    else this.addAnyRows(recommender, source, ranking);
  }

  /** Rows whose targets are copied by words: 100 of them in 2 µs instead of 5. */
  private addPlainRows({ model }: Recommender, texts: ItemTexts, source: Source, ranking: Ranking): void {
    const { count, item, score } = ranking;
    const sourceBytes = this.writeSource(model.ids, source);
    this.reserve(count * (sourceBytes + texts.slotWords * 4 + rowRestBytes));
    const { bytes, words, end: begin } = this;
    const { slotWords, words: slots } = texts;
    let end = begin;
    for (let rank = 0; rank < count; rank += 1) {
      // The first source is already in place; copying it onto itself changes nothing.
      for (let at = 0; at < sourceBytes; at += 4) words.setInt32(end + at, words.getInt32(begin + at, true), true);
      end += sourceBytes;
      const slot = (item[rank] ?? 0) * slotWords;
      const length = slots[slot] ?? 0;
      for (let at = 0; at < length; at += 4) words.setInt32(end + at, slots[slot + 1 + (at >> 2)] ?? 0, true);
      end = writeRank(bytes, words, end + length, rank + 1);
      end = writeScore(bytes, words, end, score[rank] ?? 0);
    }
    this.end = end;
  }

  private addAnyRows({ model }: Recommender, source: Source, ranking: Ranking): void {
    const { ids, itemNode } = model;
    const before = this.length;
    const sourceBytes = this.writeSource(ids, source);
    for (let rank = 0; rank < ranking.count; rank += 1) {
      ids.locate(itemNode[ranking.item[rank] ?? 0] ?? 0);
      this.reserve(sourceBytes + maxFieldBytes(ids) + rowRestBytes);
      const { bytes, words } = this;
      bytes.copyWithin(this.end, this.start + before, this.start + before + sourceBytes);
      const end = writeRank(bytes, words, this.writeText(this.end + sourceBytes, ids), rank + 1);
      this.end = writeScore(bytes, words, end, ranking.score[rank] ?? 0);
    }
  }

  /** The collected bytes, which are never written again. */
  take(): Buffer {
    const taken = this.bytes.subarray(this.start, this.end);
    if (taken.length > maxSharedBytes) {
      const copy = Buffer.from(taken);
      this.end = this.start;
      if (this.bytes.length > maxKeptBytes) this.use(Buffer.allocUnsafeSlow(usualBytes), 0);
      return copy;
    }
    this.start = this.end;
    if (this.bytes.length - this.end < maxSharedBytes) this.use(Buffer.allocUnsafeSlow(usualBytes), 0);
    return taken;
  }

  /** Writes the first column with its comma where the next row begins. @returns its bytes */
  private writeSource(ids: Strings, source: Source): number {
    const field = typeof source === 'string' ? fieldOf(source) : source < 0 ? null : ids;
    if (field === ids) ids.locate(source as number);
    this.reserve((field === null ? 0 : maxFieldBytes(field)) + rowRestBytes);
    const end = field === null ? this.end : this.writeText(this.end, field);
    this.bytes[end] = comma;
    return end + 1 - this.end;
  }

  /** Writes an id where it may be written so. @returns the new end */
  private writeText(end: number, field: Field): number {
    if (!this.safe || !looksLikeFormula(field)) return writeField(this.bytes, end, field);
    return writeField(this.bytes, end, fieldOf(`'${field.bytes.toString('utf8', field.start, field.end)}`));
  }

  private reserve(more: number): void {
    if (this.end + more <= this.bytes.length) return;
    const { length } = this;
    const larger = Buffer.allocUnsafeSlow(Math.max(usualBytes, 2 * (length + more)));
    // Behind the end may stand a source already.
    this.bytes.copy(larger, 0, this.start);
    this.use(larger, length);
  }

  private use(bytes: Buffer, end: number): void {
    this.bytes = bytes;
    this.words = new DataView(bytes.buffer);
    this.start = 0;
    this.end = end;
  }
}

function fieldOf(text: string): Field {
  const bytes = Buffer.from(text);
  return { bytes, start: 0, end: bytes.length };
}

/** What a field takes at most: each of its bytes a quote, quotes around, and an apostrophe before it. */
function maxFieldBytes({ start, end }: Field): number {
  return 2 * (end - start) + 3;
}

function looksLikeFormula({ bytes, start, end }: Field): boolean {
  if (start === end) return false;
  if (startsFormula[bytes[start] ?? 0] === 1) return true;
  return end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbc && fullWidthEnds.includes(bytes[start + 2] ?? 0);
}

/** Writes a field to `bytes` from `end`, in quotes where it needs them. @returns the new end, as all of these */
function writeField(bytes: Buffer, end: number, field: Field): number {
  const { bytes: from, start, end: stop } = field;
  let place = end;
  for (let at = start; at < stop; at += 1) {
    const byte = from[at] ?? 0;
    if (isSpecial[byte] === 1) return writeQuoted(bytes, end, field);
    bytes[place++] = byte;
  }
  return place;
}

function writeQuoted(bytes: Buffer, end: number, { bytes: from, start, end: stop }: Field): number {
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
  // As a 32-bit number, so that its division is a multiplication.
  const millionths = Math.round(score * 1e6) | 0;
  const fraction = millionths < 1e6 ? millionths : 0;
  if (millionths >= 1e6) bytes[end - 2] = one;
  const thousandths = (fraction / 1000) | 0;
  words.setUint32(end, threeDigits[thousandths] ?? 0);
  words.setUint32(end + 3, threeDigits[fraction - 1000 * thousandths] ?? 0);
  return end + 7;
}
