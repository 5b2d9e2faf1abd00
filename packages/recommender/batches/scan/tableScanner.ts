import { isUtf8 } from 'node:buffer';
import type { Fault } from '@vouch/platform/errors/problem';
import { explainJson, isJsonObject } from './checkJsonObject.ts';
import { maxFieldBytes, maxRecordBytes, type ColumnRule, type TableKind } from './columns.ts';
import { FaultList, showValue } from './faultList.ts';
import { parseTimestamp } from './parseTimestamp.ts';
import { detectSeparator, parseHeader, splitHeader, type Header } from './parseHeader.ts';
import { fieldForm, RecordReader, type RecordDefect, type RecordHandler } from './recordReader.ts';
import { recogniseForeignFile } from './recogniseForeignFile.ts';
import { RowBuffer } from './rowBuffer.ts';

export interface ScanLimits {
  /** Maximum bytes of one file after decompression. */
  maxBytes: number;
  /** Maximum data rows of one file. */
  maxRows: number;
}

/** Result of a scan: usable rows (and the columns with escapes), faults of the content, or a limit that the file exceeds. */
export type ScanResult =
  | { outcome: 'scanned'; kind: TableKind; rows: number; bytes: number; escaped: string[] }
  | { outcome: 'faults'; faults: Fault[] }
  | { outcome: 'too-large'; detail: string };

const QUOTE = 34;
const longestHeader = 65_536;

/**
 * Checks one CSV file while it arrives and writes its rows in scanned form. Reports up to 100 faults, each with its data row
 * and physical line. After the first fault, no more rows are written.
 */
export class TableScanner implements RecordHandler {
  private readonly limits: ScanLimits;
  private readonly faults: FaultList;
  private readonly rowBuffer: RowBuffer;
  private head: Buffer | null = Buffer.alloc(0);
  private reader: RecordReader | null = null;
  private header: Header | null = null;
  private rows = 0;
  private bytes = 0;
  private readonly escaped = new Set<string>();
  private tooLarge: string | null = null;
  /** A field without its doubled quotes; as long as the longest stored value. */
  private readonly plain = new Uint8Array(65_536);

  /**
   * @param fileName file name for the locations of faults
   * @param sink receives the rows in scanned form
   */
  constructor(fileName: string, limits: ScanLimits, sink: (block: Uint8Array) => void) {
    this.limits = limits;
    this.faults = new FaultList(fileName);
    this.rowBuffer = new RowBuffer(sink);
  }

  /** Whether further bytes cannot change the result. */
  get isDone(): boolean {
    return this.tooLarge !== null || this.faults.isFull || (this.reader?.stopped ?? false);
  }

  push(chunk: Uint8Array): void {
    if (this.isDone) return;
    this.bytes += chunk.length;
    if (this.bytes > this.limits.maxBytes) {
      this.tooLarge = `has more than ${this.limits.maxBytes} bytes (after decompression); split it, or raise VOUCH_UPLOAD_MAX_BYTES`;
    } else if (this.reader !== null) {
      this.reader.push(chunk);
    } else if (this.head !== null) {
      this.head = Buffer.concat([this.head, chunk]);
      this.start(false);
    }
  }

  end(): ScanResult {
    if (this.head !== null && !this.isDone) this.start(true);
    if (!this.isDone) this.reader?.end();
    if (this.tooLarge !== null) return { outcome: 'too-large', detail: this.tooLarge };
    if (this.header !== null && this.rows === 0 && this.faults.faults.length === 0) {
      this.faults.add({ line: 1, detail: 'the file has a header and no rows' });
    }
    if (this.faults.faults.length > 0 || this.header === null) return { outcome: 'faults', faults: this.faults.faults };
    this.rowBuffer.flush();
    const { rows, bytes, header: { kind } } = this;
    return { outcome: 'scanned', kind, rows, bytes, escaped: [...this.escaped] };
  }

  /** Examines the first line when it is complete: detects foreign files and the separator. */
  private start(last: boolean): void {
    let head = this.head as Buffer;
    if (head.length < 4 && !last) return;
    const foreign = recogniseForeignFile(head);
    if (foreign !== null) return this.refuse(foreign);
    if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) head = head.subarray(3);
    const text = head.subarray(0, longestHeader).toString('latin1');
    const line = /^[\r\n]*([^\r\n]+)[\r\n]/.exec(text)?.[1] ?? (last ? text.trim() : null);
    if (line === null && head.length <= longestHeader) return;
    if (line === null) return this.refuse(`the first ${longestHeader} bytes have no line end, so there is no header`);
    if (line === '') return this.refuse('the file is empty');
    this.head = null;
    this.reader = new RecordReader(this, detectSeparator(line));
    this.reader.push(head);
  }

  private refuse(detail: string): void {
    this.head = null;
    this.faults.add({ line: 1, detail });
  }

  record(reader: RecordReader): boolean {
    if (this.header === null) return this.parseHeaderRecord(reader);
    this.rows++;
    if (this.rows > this.limits.maxRows) {
      this.tooLarge = `has more than ${this.limits.maxRows} rows; split it, or raise VOUCH_UPLOAD_MAX_ROWS`;
      return false;
    }
    if (reader.fieldCount !== this.header.width) this.addWidthFault(reader, this.header);
    else if (!reader.suspect || this.checkEncoding(reader, this.header)) this.parseRow(reader, this.header);
    return !this.faults.isFull;
  }

  defect(reader: RecordReader, defect: RecordDefect): boolean {
    if (this.header !== null) this.rows++;
    const place = { row: Math.max(this.rows, 0), line: reader.lineOf(defect.at) };
    if ('field' in defect) {
      const column = this.columnAt(defect.field);
      const value = showValue(reader.bytes, defect.at, reader.recordEnd);
      this.addRowFault({ ...place, column, value, detail: explainFieldDefect[defect.defect] });
    } else if (defect.defect === 'nul') {
      this.addRowFault({ ...place, detail: 'holds a NUL byte: the file is binary, damaged or UTF-16, not CSV in UTF-8' });
    } else {
      this.addRowFault({ ...place, detail: `the row is longer than ${maxRecordBytes} bytes` });
    }
    return !this.faults.isFull;
  }

  private addRowFault(fault: Omit<Fault, 'location'>): void {
    const { row, column, ...rest } = fault;
    this.faults.add({ ...rest, ...(row === undefined || row === 0 ? {} : { row }), ...(column === undefined ? {} : { column }) });
  }

  private columnAt(position: number): string | undefined {
    return this.header?.columns.find((entry) => entry.position === position)?.rule.name;
  }

  private parseHeaderRecord(reader: RecordReader): boolean {
    const { bytes, recordStart, recordEnd } = reader;
    const line = Buffer.from(bytes.subarray(recordStart, recordEnd));
    if (!isUtf8(line)) {
      this.faults.add({ line: reader.line, detail: 'the header is not valid UTF-8; save the file as UTF-8' });
      return false;
    }
    const names = splitHeader(line.toString('utf8'), String.fromCharCode(detectSeparator(line.toString('latin1'))));
    const header = parseHeader(names);
    if ('reason' in header) {
      const { reason, column } = header;
      this.faults.add({ line: reader.line, detail: reason, ...(column === undefined ? {} : { column }) });
      return false;
    }
    this.header = header;
    return true;
  }

  private addWidthFault(reader: RecordReader, header: Header): void {
    const relation = reader.fieldCount < header.width ? 'fewer' : 'more';
    this.faults.add({
      row: this.rows,
      line: reader.line,
      value: showValue(reader.bytes, reader.recordStart, reader.recordEnd),
      detail: `the row has ${reader.fieldCount} fields, ${relation} than the ${header.width} of the header`,
    });
  }

  private checkEncoding(reader: RecordReader, header: Header): boolean {
    let valid = true;
    for (let field = 0; field < reader.fieldCount; field++) {
      const start = reader.fieldStart[field] as number;
      const end = reader.fieldEnd[field] as number;
      if (isUtf8(reader.bytes.subarray(start, end))) continue;
      valid = false;
      const rule = header.columns.find((entry) => entry.position === field)?.rule;
      this.addFieldFault(reader, start, start, end, rule?.name, 'is not valid UTF-8; save the file as UTF-8');
    }
    return valid;
  }

  private addFieldFault(
    reader: RecordReader, at: number, start: number, end: number, column: string | undefined, detail: string,
  ): void {
    this.addRowFault({
      row: this.rows,
      line: reader.lineOf(at),
      column,
      value: showValue(reader.bytes, start, end),
      detail: column === undefined ? `a field ${detail}` : `${column} ${detail}`,
    });
  }

  /** Checks the stored columns of a row and writes the row; the performance-critical path of every upload. */
  private parseRow(reader: RecordReader, header: Header): void {
    const write = this.faults.faults.length === 0;
    if (write) this.rowBuffer.startRow(this.rows);
    for (const { rule, position } of header.columns) {
      if (write) this.rowBuffer.startField();
      const start = reader.fieldStart[position] as number;
      let end = reader.fieldEnd[position] as number;
      if (end === start) {
        if (rule.required) this.addFieldFault(reader, start, start, end, rule.name, 'is empty; every row needs it');
        continue;
      }
      let source = reader.bytes;
      let from = start;
      if (reader.fieldForms[position] === fieldForm.doubled) {
        const length = this.undouble(source, start, end, rule.maxBytes);
        if (length >= 0) [source, from, end] = [this.plain, 0, length];
      }
      this.parseField(reader, rule, source, from, end, start, write);
    }
    if (write && this.faults.faults.length === 0) this.rowBuffer.endRow();
  }

  private parseField(
    reader: RecordReader, rule: ColumnRule, source: Uint8Array, from: number, end: number, at: number, write: boolean,
  ): void {
    const complaint = this.writeValue(rule, source, from, end, write);
    if (complaint === null) return;
    this.addRowFault({
      row: this.rows,
      line: reader.lineOf(at),
      column: rule.name,
      value: showValue(source, from, end),
      detail: `${rule.name} ${complaint}`,
    });
  }

  /**
   * Checks one value and writes it; returns the fault, or null. Avoids closures, because the method runs once per field of
   * each row.
   */
  private writeValue(rule: ColumnRule, source: Uint8Array, from: number, end: number, write: boolean): string | null {
    if (end - from > rule.maxBytes) return `has ${end - from} bytes; at most ${rule.maxBytes} are allowed`;
    if (isBlank(source, from, end)) {
      if (rule.required) return 'is blank; every row needs it';
      if (rule.content !== 'text') return null;
    }
    if (rule.content === 'timestamp') {
      const time = parseTimestamp(source, from, end);
      if (Number.isNaN(time)) return timestampForms;
      if (write) this.rowBuffer.writeInteger(time);
      return null;
    }
    if (rule.content === 'json' && !isJsonObject(source, from, end)) {
      return explainJson(Buffer.from(source.subarray(from, end)).toString('utf8'));
    }
    if (write && this.rowBuffer.writeBytes(source, from, end)) this.escaped.add(rule.name);
    return null;
  }

  /**
   * Copies a field without doubled quotes to `plain`.
   * @returns length of the copy, or -1 if the copy is longer than allowed
   */
  private undouble(source: Uint8Array, start: number, end: number, maximum: number): number {
    let length = 0;
    for (let at = start; at < end; at++) {
      const byte = source[at] as number;
      if (byte === QUOTE) at++;
      if (length === maximum) return -1;
      this.plain[length++] = byte;
    }
    return length;
  }
}

const explainFieldDefect = {
  'text-after-quote': 'text follows the closing quote of the field that begins here; a quote inside a quoted field is written twice',
  'field-too-long': `a field that begins here is longer than ${maxFieldBytes} bytes`,
  'unclosed-quote': 'the quote that opens here is never closed',
} as const;

const timestampForms =
  'is not a time: use ISO 8601 (2024-05-31, 2024-05-31T12:00:00Z, UTC without a zone), Unix seconds or Unix milliseconds, up to the year 9999';

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  if ((bytes[start] as number) > 32) return false;
  for (let at = start; at < end; at++) if ((bytes[at] as number) > 32) return false;
  return true;
}
