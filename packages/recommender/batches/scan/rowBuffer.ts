/**
 * The scanned form of a table, which is what DuckDB reads: one line a row, fields separated by unit separators, no
 * quotes and no quoting rule, so that every LF ends a row wherever a reader starts. The four bytes that would break
 * this are written as ESCAPE and a letter. Ids, names and JSON hardly ever hold them, so most files have no escape.
 */
export const scannedForm = {
  separator: 0x1f,
  escape: 0x1e,
  /** Byte and letter that stands for it; decoding replaces in this order, the escape itself last. */
  letters: [[0x0a, 0x4c], [0x0d, 0x52], [0x1f, 0x53], [0x1e, 0x45]],
} as const;

/** Longest row in this form: all stored columns at their limits, each byte escaped. */
const maxRowBytes = 262_144;
const flushAt = 262_144;

const letterOf = new Uint8Array(256);
for (const [byte, letter] of scannedForm.letters) letterOf[byte] = letter;

/** Collects rows in their scanned form and hands them on in blocks. */
export class RowBuffer {
  private readonly bytes = Buffer.allocUnsafe(flushAt + maxRowBytes);
  private length = 0;
  private readonly sink: (block: Uint8Array) => void;

  /** @param sink receives blocks; it must be done with them when it returns */
  constructor(sink: (block: Uint8Array) => void) {
    this.sink = sink;
  }

  startRow(row: number): void {
    this.writeInteger(row);
  }

  startField(): void {
    this.bytes[this.length++] = scannedForm.separator;
  }

  endRow(): void {
    this.bytes[this.length++] = 0x0a;
    if (this.length >= flushAt) this.flush();
  }

  /** @returns whether a byte was escaped */
  writeBytes(source: Uint8Array, start: number, end: number): boolean {
    const { bytes } = this;
    let { length } = this;
    let escaped = false;
    for (let at = start; at < end; at++) {
      const byte = source[at] as number;
      if (byte < 0x20 && letterOf[byte] !== 0) {
        bytes[length++] = scannedForm.escape;
        bytes[length++] = letterOf[byte] as number;
        escaped = true;
      } else {
        bytes[length++] = byte;
      }
    }
    this.length = length;
    return escaped;
  }

  /** Writes an integer below 2^53 in decimal digits. */
  writeInteger(value: number): void {
    const { bytes } = this;
    let rest = value;
    if (rest < 0) {
      bytes[this.length++] = 45;
      rest = -rest;
    }
    if (rest >= 1e8) {
      // Two halves of at most eight digits keep the divisions in 32-bit integers.
      const high = Math.floor(rest / 1e8);
      this.writeInteger(high);
      this.writeDigits(rest - high * 1e8, 8);
      return;
    }
    let count = 1;
    for (let power = 10; rest >= power; power *= 10) count++;
    this.writeDigits(rest, count);
  }

  private writeDigits(value: number, count: number): void {
    let rest = value | 0;
    for (let at = this.length + count - 1; at >= this.length; at--) {
      const tenth = (rest / 10) | 0;
      this.bytes[at] = 48 + rest - tenth * 10;
      rest = tenth;
    }
    this.length += count;
  }

  flush(): void {
    if (this.length > 0) this.sink(this.bytes.subarray(0, this.length));
    this.length = 0;
  }
}
