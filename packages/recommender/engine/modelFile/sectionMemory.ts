import { FileWords, readBytes, sectionPlace } from './fileWords.ts';
import { findSection, loadSection, type SectionFile } from './sectionFile.ts';
import type { WordSource } from './wordRows.ts';

/** Sections of an open file, kept in memory until a byte budget is used up, otherwise read by offset. */
export class SectionMemory {
  readonly file: SectionFile;
  /** Remaining bytes for optional sections. */
  private budget: number;

  constructor(file: SectionFile, budgetBytes: number) {
    this.file = file;
    this.budget = budgetBytes;
  }

  /** Opens a section of 4-byte words. */
  async words(name: string, type: 'int32' | 'float32'): Promise<WordSource> {
    const entry = findSection(this.file, name, type);
    if (this.take(entry.length * 4)) {
      const array = await loadSection(this.file, name, type);
      const { buffer, byteOffset, length } = array;
      const resident = { ints: new Int32Array(buffer, byteOffset, length), floats: new Float32Array(buffer, byteOffset, length) };
      return { resident, read: () => undefined };
    }
    return new FileWords(sectionPlace(this.file, name, type));
  }

  /** Opens a string table written by `encodeStrings`. The offsets count against the budget too. */
  async strings(name: string): Promise<Strings> {
    const offsets = findSection(this.file, `${name}.offsets`, 'float64');
    const text = findSection(this.file, `${name}.text`, 'uint8');
    if (this.take(offsets.length * 8 + text.length)) {
      const starts = await loadSection(this.file, `${name}.offsets`, 'float64');
      const bytes = await loadSection(this.file, `${name}.text`, 'uint8');
      return new Strings({ starts, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) });
    }
    const [startPlace, textPlace] = [sectionPlace(this.file, offsets.name, 'float64'), sectionPlace(this.file, text.name, 'uint8')];
    return new Strings({
      readStarts: (at, target) => readBytes(startPlace, at * 8, target),
      readText: (at, target) => readBytes(textPlace, at, target),
    });
  }

  private take(bytes: number): boolean {
    if (bytes > this.budget) return false;
    this.budget -= bytes;
    return true;
  }
}

interface StringsInMemory {
  starts: Float64Array;
  bytes: Buffer;
}

interface StringsInFile {
  readStarts: (at: number, target: Uint8Array) => void;
  readText: (at: number, target: Uint8Array) => void;
}

/** A string table. `locate` makes the bytes of one string available at `bytes[start .. end]` until the next call. */
export class Strings {
  bytes: Buffer;
  start = 0;
  end = 0;
  private readonly starts: Float64Array | null;
  private readonly file: StringsInFile | null;
  private readonly range = new Float64Array(2);
  private readonly rangeBytes = new Uint8Array(this.range.buffer);

  constructor(source: StringsInMemory | StringsInFile) {
    this.starts = 'starts' in source ? source.starts : null;
    this.bytes = 'starts' in source ? source.bytes : Buffer.alloc(4096);
    this.file = 'starts' in source ? null : source;
  }

  /** Whether `bytes` holds the whole table. */
  get inMemory(): boolean {
    return this.file === null;
  }

  locate(at: number): void {
    if (this.file !== null) return this.read(this.file, at);
    this.start = this.starts?.[at] ?? 0;
    this.end = this.starts?.[at + 1] ?? 0;
  }

  private read(file: StringsInFile, at: number): void {
    file.readStarts(at, this.rangeBytes);
    const from = this.range[0] ?? 0;
    const length = (this.range[1] ?? 0) - from;
    if (length > this.bytes.length) this.bytes = Buffer.alloc(length * 2);
    if (length > 0) file.readText(from, this.bytes.subarray(0, length));
    this.start = 0;
    this.end = length;
  }

  get(at: number): string {
    this.locate(at);
    return this.start === this.end ? '' : this.bytes.toString('utf8', this.start, this.end);
  }
}
