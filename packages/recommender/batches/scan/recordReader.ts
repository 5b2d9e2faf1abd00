import { isUtf8 } from 'node:buffer';
import { maxColumns, maxFieldBytes, maxRecordBytes } from './columns.ts';

const QUOTE = 34;
const LF = 10;
const CR = 13;

/** Form of a field: bare, in quotes, or in quotes with doubled quotes inside. */
export const fieldForm = { bare: 0, quoted: 1, doubled: 2 } as const;

export type RecordDefect =
  | { defect: 'text-after-quote' | 'field-too-long' | 'unclosed-quote'; field: number; at: number }
  | { defect: 'record-too-long' | 'nul'; at: number };

/** Receives the records of a file; returning `false` ends the reading. */
export interface RecordHandler {
  /** Receives one record. The record's fields are valid until the method returns. */
  record(reader: RecordReader): boolean;
  /** Receives a part that is not valid CSV. After `text-after-quote`, the reader continues after the line. */
  defect(reader: RecordReader, defect: RecordDefect): boolean;
}

/**
 * Splits bytes into CSV records (RFC 4180; a record ends with CR LF, LF or CR; a quote inside a bare field is text) without
 * creating strings: each field has only a start, an end and a form. Holds at most one incomplete record, whose size is
 * limited.
 */
export class RecordReader {
  /** The bytes that the offsets refer to. */
  bytes: Uint8Array = Buffer.allocUnsafe(1 << 18);
  readonly fieldStart = new Int32Array(maxColumns + 2);
  readonly fieldEnd = new Int32Array(maxColumns + 2);
  readonly fieldForms = new Uint8Array(maxColumns + 2);
  /** Number of fields of the current record; fields beyond the maximum are counted but not stored. */
  fieldCount = 0;
  /** Offset of the current record in `bytes`. */
  recordStart = 0;
  /** Offset after the current record; after an unclosed quote, the end of the available bytes. Bytes beyond are not of the file. */
  recordEnd = 0;
  /** Physical line at which the current record begins, from 1. */
  line = 1;
  /** Whether the current record can contain invalid UTF-8. */
  suspect = false;
  stopped = false;

  private readonly handler: RecordHandler;
  private readonly special = new Uint8Array(256);
  private separator = -1;
  private filled = 0;
  private checkedUntil = 0;
  private suspectUntil = 0;
  private retryAt = 0;
  private lineEnds = 0;

  constructor(handler: RecordHandler, separator: number) {
    this.handler = handler;
    this.separator = separator;
    this.special[LF] = 1;
    this.special[CR] = 1;
    this.special[separator] = 1;
  }

  /** Line number of an offset in the current record. */
  lineOf(offset: number): number {
    let line = this.line;
    for (let at = this.recordStart; at < offset; at++) {
      if (this.bytes[at] === LF || (this.bytes[at] === CR && this.bytes[at + 1] !== LF)) line++;
    }
    return line;
  }

  push(chunk: Uint8Array): void {
    if (this.stopped) return;
    const nul = chunk.indexOf(0);
    this.append(nul < 0 ? chunk : chunk.subarray(0, nul));
    if (nul >= 0) {
      this.parse(false);
      if (!this.stopped) this.stop({ defect: 'nul', at: this.filled });
      return;
    }
    if (this.filled < this.retryAt) return;
    this.parse(false);
    if (this.stopped) return;
    const kept = this.filled;
    // A long record is parsed again only after its length has doubled, so that the total work stays linear.
    this.retryAt = kept > 65_536 ? 2 * kept : 0;
    if (kept > maxRecordBytes) this.stop({ defect: 'record-too-long', at: 0 });
  }

  /** Ends the file: reads the remaining bytes as the last record. */
  end(): void {
    if (!this.stopped) this.parse(true);
  }

  private stop(defect: RecordDefect): void {
    this.handler.defect(this, defect);
    this.stopped = true;
  }

  private append(chunk: Uint8Array): void {
    const needed = this.filled + chunk.length + 1;
    if (needed > this.bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.bytes.length));
      grown.set(this.bytes.subarray(0, this.filled));
      this.bytes = grown;
    }
    this.bytes.set(chunk, this.filled);
    this.filled += chunk.length;
    let boundary = this.filled;
    while (boundary > this.checkedUntil && (this.bytes[boundary - 1] as number) >= 0x80) boundary--;
    this.checkEncoding(boundary);
  }

  /** Checks the encoding of the bytes up to a boundary between characters. */
  private checkEncoding(boundary: number): void {
    if (boundary === this.checkedUntil) return;
    if (!isUtf8(this.bytes.subarray(this.checkedUntil, boundary))) this.suspectUntil = boundary;
    this.checkedUntil = boundary;
  }

  private compact(consumed: number): void {
    if (consumed === 0) return;
    this.bytes.copyWithin(0, consumed, this.filled);
    this.filled -= consumed;
    this.checkedUntil -= consumed;
    this.suspectUntil = Math.max(0, this.suspectUntil - consumed);
    this.recordStart = 0;
  }

  private parse(last: boolean): void {
    if (last) this.checkEncoding(this.filled);
    this.bytes[this.filled] = LF;
    let position = 0;
    while (position < this.filled && !this.stopped) {
      const next = this.parseRecord(position, last);
      if (next < 0) break;
      position = next;
      this.line += this.lineEnds;
    }
    this.compact(position);
  }

  /**
   * Reads the record at `start` and passes it to the handler.
   * @returns the offset after the record, or -1 if the record is incomplete
   */
  private parseRecord(start: number, last: boolean): number {
    const { bytes, special, separator, filled } = this;
    this.recordStart = start;
    this.lineEnds = 0;
    let count = 0;
    let at = start;
    let broken: RecordDefect | null = null;
    for (;;) {
      const fieldStart = at;
      let form = 0;
      if (bytes[at] === QUOTE && at < filled) {
        const close = this.findClosingQuote(at + 1);
        if (close < 0 || (close + 1 === filled && !last)) return this.incompleteField(count, at, last);
        form = this.lastForm;
        if (special[bytes[close + 1] as number] === 0) {
          broken ??= { defect: 'text-after-quote', field: count, at };
        }
        at = close + 1;
        while (special[bytes[at] as number] === 0) at++;
        this.keep(count, fieldStart + 1, close, form);
      } else {
        while (special[bytes[at] as number] === 0) at++;
        if (at >= filled && !last) return this.incompleteField(count, fieldStart, last);
        this.keep(count, fieldStart, at, 0);
      }
      if (at - fieldStart > maxFieldBytes + 2) broken ??= { defect: 'field-too-long', field: count, at: fieldStart };
      count++;
      if (at >= filled && !last) return -1;
      if (at < filled && bytes[at] === separator) {
        at++;
        continue;
      }
      break;
    }
    if (bytes[at] === CR && at + 1 >= filled && !last) return -1;
    this.recordEnd = at;
    this.fieldCount = count;
    this.lineEnds++;
    const next = bytes[at] === CR && bytes[at + 1] === LF && at + 1 < filled ? at + 2 : at + 1;
    this.suspect = start < this.suspectUntil;
    if (at === start) return next;
    const goOn = broken === null ? this.handler.record(this) : this.handler.defect(this, broken);
    if (!goOn) this.stopped = true;
    return Math.min(next, filled);
  }

  private lastForm: number = fieldForm.quoted;

  /** Offset of the quote that closes a field, or -1; counts line ends up to this offset. */
  private findClosingQuote(from: number): number {
    const { bytes, filled } = this;
    let form: number = fieldForm.quoted;
    let lineEnds = 0;
    for (let at = from; at < filled; at++) {
      const byte = bytes[at] as number;
      if (byte > QUOTE) continue;
      if (byte === QUOTE) {
        if (bytes[at + 1] !== QUOTE || at + 1 >= filled) {
          this.lastForm = form;
          this.lineEnds += lineEnds;
          return at;
        }
        form = fieldForm.doubled;
        at++;
      } else if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) lineEnds++;
    }
    return -1;
  }

  private keep(field: number, start: number, end: number, form: number): void {
    if (field > maxColumns) return;
    this.fieldStart[field] = start;
    this.fieldEnd[field] = end;
    this.fieldForms[field] = form;
  }

  /** Handles a field that does not end in the available bytes: waits for more bytes, or reports a defect. */
  private incompleteField(field: number, at: number, last: boolean): number {
    const unclosed = this.bytes[at] === QUOTE;
    this.recordEnd = this.filled;
    if (last && unclosed) {
      this.stop({ defect: 'unclosed-quote', field, at });
    } else if (this.filled - at > maxFieldBytes + 2) {
      this.stop({ defect: unclosed ? 'unclosed-quote' : 'field-too-long', field, at });
    }
    return -1;
  }
}
