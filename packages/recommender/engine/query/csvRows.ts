import type { Strings } from '../modelFile/sectionMemory.ts';
import type { ItemTexts } from './itemTexts.ts';
import { PieceMemory } from './pieceMemory.ts';
import type { Ranking } from './ranking.ts';
import type { Recommender, Source } from './recommender.ts';

export const csvHeader = 'source_id,target_id,#,score\n';

const comma = 0x2c;
const quote = 0x22;
const newline = 0x0a;
const carriageReturn = 0x0d;
const one = 0x31;
/** Maximum bytes of a row without ids: commas, rank, score, and the unused rest of the last copied word. */
const rowRestBytes = 40;
const usualBytes = 64 * 1024;
/** Answers up to this many bytes are returned as a part of the shared buffer; longer answers are copied. */
const maxSharedBytes = 8 * 1024;
/** After a long answer, a buffer larger than this many bytes is replaced by a small one. */
const maxKeptBytes = 1024 * 1024;

/** 1 for bytes that require quotes around a CSV field. */
const isSpecial = new Uint8Array(256);
for (const byte of [0, comma, quote, newline, carriageReturn]) isSpecial[byte] = 1;

/** The three digits of 0 to 999, each followed by a newline, so that one 32-bit store writes all four bytes. */
const threeDigits = Uint32Array.from({ length: 1000 }, (_, number) => wordOf(`${String(number).padStart(3, '0')}\n`));
/** The text `,rank,0.` of each rank below 1000 in two words, and the text's length in bytes. */
const rankTexts = Array.from({ length: 1000 }, (_, rank) => `,${rank},0.`);
const rankWords = Uint32Array.from(rankTexts.flatMap((text) => [wordOf(text.slice(0, 4)), wordOf(text.slice(4))]));
const rankBytes = Uint8Array.from(rankTexts, (text) => text.length);

/** First bytes of a field that spreadsheets interpret as a formula: = + - @, tab, carriage return, newline. */
const startsFormula = new Uint8Array(256);
for (const character of '=+-@\t\r\n') startsFormula[character.charCodeAt(0)] = 1;
/**
 * Last of the three UTF-8 bytes of the full-width forms of = + - @ (U+FF1D, U+FF0B, U+FF0D, U+FF20), which some spreadsheets
 * treat as = + - @.
 */
const fullWidthEnds: readonly number[] = [0x9d, 0x8b, 0x8d, 0xa0];

type Field = Pick<Strings, 'bytes' | 'start' | 'end'>;

function wordOf(text: string): number {
  return Buffer.from(text.padEnd(4), 'latin1').readUInt32BE();
}

/**
 * Collects CSV rows as bytes, without a string per field. Short answers share one buffer and are not copied. Pieces of a
 * stream are copied, because each piece would otherwise keep a buffer of twice its size in memory.
 */
export class CsvBuffer {
  private bytes: Buffer = Buffer.allocUnsafeSlow(usualBytes);
  private words: DataView = new DataView(this.bytes.buffer);
  /** Start of the collected bytes; the bytes before belong to answers already returned. */
  private start = 0;
  private end = 0;
  /** Whether an apostrophe is written before fields that a spreadsheet would interpret as a formula. */
  private readonly safe: boolean;

  constructor(safe = false) {
    this.safe = safe;
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Drops the collected bytes and writes the header. */
  begin(): void {
    this.end = this.start;
    this.reserve(csvHeader.length);
    this.end += this.bytes.write(csvHeader, this.start, 'latin1');
  }

  /**
   * Appends one row per entry of a ranking: source, target, rank from 1, score with six decimals.
   * @param source source of the ranking; -1 leaves the source column empty
   */
  addRanking(recommender: Recommender, source: Source, ranking: Ranking): void {
    const texts = this.safe ? null : recommender.itemTexts();
    if (texts !== null) this.addPlainRows(recommender, texts, source, ranking);
    else this.addAnyRows(recommender, source, ranking);
  }

  /** Appends rows whose targets are copied word by word: 100 rows take 2 µs instead of 5. */
  private addPlainRows({ model }: Recommender, texts: ItemTexts, source: Source, ranking: Ranking): void {
    const { count, item, score, skipped } = ranking;
    const sourceBytes = this.writeSource(model.ids, source);
    this.reserve(count * (sourceBytes + texts.slotWords * 4 + rowRestBytes));
    const { bytes, words, end: begin } = this;
    const { slotWords, words: slots } = texts;
    let end = begin;
    for (let rank = 0; rank < count; rank += 1) {
      // The first row's source is already in place; copying it onto itself changes nothing.
      for (let at = 0; at < sourceBytes; at += 4) words.setInt32(end + at, words.getInt32(begin + at, true), true);
      end += sourceBytes;
      const slot = (item[rank] ?? 0) * slotWords;
      const length = slots[slot] ?? 0;
      for (let at = 0; at < length; at += 4) words.setInt32(end + at, slots[slot + 1 + (at >> 2)] ?? 0, true);
      end = writeRank(bytes, words, end + length, skipped + rank + 1);
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
      const end = writeRank(bytes, words, this.writeText(this.end + sourceBytes, ids), ranking.skipped + rank + 1);
      this.end = writeScore(bytes, words, end, ranking.score[rank] ?? 0);
    }
  }

  /** Returns the collected bytes. Later calls never overwrite them unless a long answer is in the memory that the caller gives. */
  take(memory = new PieceMemory()): Buffer {
    const taken = this.bytes.subarray(this.start, this.end);
    if (taken.length > maxSharedBytes) {
      const copy = memory.copy(taken);
      this.end = this.start;
      if (this.bytes.length > maxKeptBytes) this.use(Buffer.allocUnsafeSlow(usualBytes), 0);
      return copy;
    }
    this.start = this.end;
    if (this.bytes.length - this.end < maxSharedBytes) this.use(Buffer.allocUnsafeSlow(usualBytes), 0);
    return taken;
  }

  /**
   * Writes the first column and its comma at the start of the next row.
   * @returns number of bytes written
   */
  private writeSource(ids: Strings, source: Source): number {
    const field = typeof source === 'string' ? fieldOf(source) : source < 0 ? null : ids;
    if (field === ids) ids.locate(source as number);
    this.reserve((field === null ? 0 : maxFieldBytes(field)) + rowRestBytes);
    const end = field === null ? this.end : this.writeText(this.end, field);
    this.bytes[end] = comma;
    return end + 1 - this.end;
  }

  /**
   * Writes an id, with a leading apostrophe if the buffer is safe and a spreadsheet would interpret the id as a formula.
   * @returns the new end
   */
  private writeText(end: number, field: Field): number {
    if (!this.safe || !looksLikeFormula(field)) return writeField(this.bytes, end, field);
    return writeField(this.bytes, end, fieldOf(`'${field.bytes.toString('utf8', field.start, field.end)}`));
  }

  private reserve(more: number): void {
    if (this.end + more <= this.bytes.length) return;
    const { length } = this;
    const larger = Buffer.allocUnsafeSlow(Math.max(usualBytes, 2 * (length + more)));
    // Copies all bytes, because a source can already be written after the end.
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

/** Maximum bytes of a field: every byte is a doubled quote, plus two surrounding quotes and an apostrophe. */
function maxFieldBytes({ start, end }: Field): number {
  return 2 * (end - start) + 3;
}

function looksLikeFormula({ bytes, start, end }: Field): boolean {
  if (start === end) return false;
  if (startsFormula[bytes[start] ?? 0] === 1) return true;
  return end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbc && fullWidthEnds.includes(bytes[start + 2] ?? 0);
}

/**
 * Writes a field to `bytes` at `end`, in quotes if needed.
 * @returns the new end
 */
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

/**
 * Writes `,rank,0.`: the rank and the beginning of the score.
 * @returns the new end
 */
function writeRank(bytes: Buffer, words: DataView, end: number, rank: number): number {
  if (rank >= rankBytes.length) return end + bytes.write(`,${rank},0.`, end, 'latin1');
  words.setUint32(end, rankWords[2 * rank] ?? 0);
  words.setUint32(end + 4, rankWords[2 * rank + 1] ?? 0);
  return end + (rankBytes[rank] ?? 0);
}

/**
 * Writes the six decimals of a score and a newline after `0.`; for a score of 1, changes `0.` to `1.`.
 * @returns the new end
 */
function writeScore(bytes: Buffer, words: DataView, end: number, score: number): number {
  // A 32-bit integer, so that the compiler replaces its division by a multiplication.
  const millionths = Math.round(score * 1e6) | 0;
  const fraction = millionths < 1e6 ? millionths : 0;
  if (millionths >= 1e6) bytes[end - 2] = one;
  const thousandths = (fraction / 1000) | 0;
  words.setUint32(end, threeDigits[thousandths] ?? 0);
  words.setUint32(end + 3, threeDigits[fraction - 1000 * thousandths] ?? 0);
  return end + 7;
}
