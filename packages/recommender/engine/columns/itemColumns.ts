import { readBytes, sectionPlace } from '../modelFile/fileWords.ts';
import { findSection, type SectionFile } from '../modelFile/sectionFile.ts';
import type { ColumnFact, ColumnFacts, ColumnValue } from '../data/column.ts';
import { absentBool } from './encodeColumns.ts';
import type { StoredColumn, StoredRows, Words } from './storedColumn.ts';

/** Reads the value of one item. */
export type ColumnReader = (item: number) => ColumnValue;

/** Maximum bytes of loaded columns per model. A further column replaces all of them, because a catalogue rarely has more that are filtered. */
const maxLoadedBytes = 256 * 2 ** 20;

/** A loaded column. */
interface OpenColumn {
  read: ColumnReader;
  /** The stored values; null for a column of bools. */
  stored: StoredColumn | null;
}

interface Loaded extends OpenColumn {
  bytes: number;
}

/**
 * The typed metadata columns of a model's items. A column is read from the file when an expression first names it: a model
 * that is queried without filters needs no memory for columns.
 */
export class ItemColumns {
  /** Changes when loaded columns were dropped; readers from an earlier generation keep their memory. */
  generation = 0;
  readonly facts: ColumnFacts | null;
  private readonly file: SectionFile;
  private readonly loaded = new Map<string, Loaded>();
  private loadedBytes = 0;

  /** @param facts columns of the file's header; null for a file from before there were columns */
  constructor(file: SectionFile, facts: ColumnFacts | null) {
    this.file = file;
    this.facts = facts;
  }

  /**
   * Returns a column, or null if the model has no column of this name.
   * @throws Problem model-file-unreadable
   */
  open(name: string): OpenColumn | null {
    const known = this.loaded.get(name);
    if (known !== undefined) return known;
    const at = this.facts?.items.findIndex((column) => column.name === name) ?? -1;
    const fact = this.facts?.items[at];
    if (fact === undefined) return null;
    const column = new ColumnLoader(this.file, `column.${at}`).load(fact);
    if (this.loadedBytes + column.bytes > maxLoadedBytes) this.drop();
    this.loaded.set(name, column);
    this.loadedBytes += column.bytes;
    return column;
  }

  private drop(): void {
    this.loaded.clear();
    this.loadedBytes = 0;
    this.generation += 1;
  }
}

class ColumnLoader {
  private readonly file: SectionFile;
  private readonly name: string;
  private bytes = 0;

  constructor(file: SectionFile, name: string) {
    this.file = file;
    this.name = name;
  }

  load(fact: ColumnFact): Loaded {
    const rowOf = fact.sparse === true ? searchRows(new Int32Array(this.section('items', 'int32'))) : (item: number) => item;
    const { read: byRow, stored } = this.loadRows(fact, { rowOf, end: Number.MAX_SAFE_INTEGER });
    return { read: (item) => { const row = rowOf(item); return row < 0 ? undefined : byRow(row); }, stored, bytes: this.bytes };
  }

  /** Loads the values; `read` reads by row. */
  private loadRows({ type }: ColumnFact, rows: StoredRows): OpenColumn {
    if (type === 'bool') {
      const bytes = new Uint8Array(this.section('values', 'uint8'));
      return { read: (row) => (bytes[row] === absentBool ? undefined : bytes[row] === 1), stored: null };
    }
    if (type === 'number' || type === 'timestamp') {
      const values = new Float64Array(this.section('values', 'float64'));
      return { read: (row) => { const value = values[row] ?? Number.NaN; return Number.isNaN(value) ? undefined : value; }, stored: { ...rows, kind: 'numbers', values } };
    }
    const codes = new Int32Array(this.section('values', 'int32'));
    if (type === 'string') {
      const texts = this.texts();
      return { read: (row) => { const code = codes[row] ?? -1; return code < 0 ? undefined : texts.word(code); }, stored: { ...rows, ...texts, kind: 'texts', codes } };
    }
    const pointer = new Int32Array(this.section('pointer', 'int32'));
    const words: Words<string | number> = type === 'list<number>' ? this.numbers() : this.texts();
    const read: ColumnReader = (row) => {
      const list: (string | number)[] = [];
      for (let at = pointer[row] ?? 0; at < (pointer[row + 1] ?? 0); at += 1) list.push(words.word(codes[at] ?? 0));
      return list;
    };
    return { read, stored: { ...rows, ...words, kind: 'lists', pointer, codes } };
  }

  private numbers(): Words<number> {
    const numbers = new Float64Array(this.section('numbers', 'float64'));
    return { word: (code) => numbers[code] ?? 0, findCode: (word) => numbers.indexOf(Number(word)) };
  }

  /** Texts are decoded once and then shared, so that equal values are the same string. */
  private texts(): Words<string> {
    const offsets = new Float64Array(this.section('text.offsets', 'float64'));
    const bytes = Buffer.from(this.section('text.text', 'uint8'));
    const decoded = Array.from<string | undefined>({ length: offsets.length });
    const word = (code: number): string => (decoded[code] ??= bytes.toString('utf8', offsets[code], offsets[code + 1]));
    return { word, findCode: (text) => findText(offsets, bytes, String(text)) };
  }

  private section(part: string, type: 'uint8' | 'int32' | 'float64'): ArrayBuffer {
    const name = `${this.name}.${part}`;
    const { length } = findSection(this.file, name, type);
    const bytes = new Uint8Array(length * { uint8: 1, int32: 4, float64: 8 }[type]);
    if (bytes.length > 0) readBytes(sectionPlace(this.file, name, type), 0, bytes);
    this.bytes += bytes.length;
    return bytes.buffer;
  }
}

/** Finds the number of a text among texts in one buffer; -1 if the text is not there. */
function findText(offsets: Float64Array, bytes: Buffer, text: string): number {
  const wanted = Buffer.from(text, 'utf8');
  for (let code = 0; code + 1 < offsets.length; code += 1) {
    const [start = 0, end = 0] = [offsets[code], offsets[code + 1]];
    if (end - start === wanted.length && bytes.compare(wanted, 0, wanted.length, start, end) === 0) return code;
  }
  return -1;
}

/** Finds the row of an item among ascending items; -1 if there is none. */
function searchRows(items: Int32Array): (item: number) => number {
  return (item) => {
    let low = 0;
    let high = items.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = items[middle] ?? 0;
      if (found === item) return middle;
      if (found < item) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  };
}
