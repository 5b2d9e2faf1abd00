/**
 * The scanned form of a table, which DuckDB reads: one line per row, fields separated by unit separators, no quotes. Without
 * quoting, every LF ends a row, regardless of where a reader starts. The four bytes with a special meaning are written as
 * ESCAPE and a letter. Ids, names and JSON rarely contain these bytes, so most files have no escapes.
 */
export const scannedForm = {
  separator: 0x1f,
  escape: 0x1e,
  /** Each byte and its letter; decoding replaces in this order, the escape itself last. */
  letters: [[0x0a, 0x4c], [0x0d, 0x52], [0x1f, 0x53], [0x1e, 0x45]],
} as const;

/** Maximum bytes of a row in this form: all stored columns at their limits, with each byte escaped. */
const maxRowBytes = 262_144;
const flushAt = 262_144;

const letterOf = new Uint8Array(256);
for (const [byte, letter] of scannedForm.letters) letterOf[byte] = letter;

/** Collects rows in scanned form and passes them on in blocks. */
export class RowBuffer {
  private readonly bytes = Buffer.allocUnsafe(flushAt + maxRowBytes);
  private length = 0;
  private readonly sink: (block: Uint8Array) => void;

  /** @param sink receives blocks; a block is valid only during the call */
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

  /**
   * Writes bytes with escapes.
   * @returns whether a byte was escaped
   */
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
