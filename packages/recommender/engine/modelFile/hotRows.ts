import type { Workspace } from '../kernels/workspace.ts';
import { Readahead, type SectionPlace } from './fileWords.ts';
import { Row, RowTable, type WordSource } from './wordRows.ts';

/** A row table of a section, in a form that threads can share. */
export interface SharedTable {
  place: SectionPlace;
  /** In shared memory. */
  pointer: Float64Array;
  /** Number of floats per entry beside the index. */
  planes: number;
}

/**
 * Rows of the items with the most users, for each table, kept in memory because reading a row from the page cache takes as
 * long as summing the row.
 */
export interface HotRows {
  words: Int32Array;
  /** Position of each item's first word; -1 for an item that is not in memory. */
  first: Int32Array;
}

/** 64 MB, used if less memory is idle. */
const usualWords = 2 ** 24;

/**
 * Reads the rows of as many items as fit into memory, highest degree first.
 * @param workspace workspace whose idle memory is used until it is released; the workspace never shrinks, so this memory
 * costs nothing
 * @param maxWords capacity in words if less idle memory is available
 */
export function loadHotRows(tables: readonly SharedTable[], degree: Int32Array, workspace: Workspace | null, maxWords = usualWords): HotRows {
  const wordsOf = (item: number): number => tables.reduce((sum, { pointer, planes }) => sum + entries(pointer, item) * (1 + planes), 0);
  const idle = Math.floor((workspace?.idleBytes ?? 0) / 4);
  const room = Math.max(idle, maxWords);
  const { chosen, total } = chooseItems(degree, wordsOf, room);
  const words = workspace !== null && idle > maxWords ? workspace.integers(total) : new Int32Array(new SharedArrayBuffer(4 * total));
  const first = new Int32Array(new SharedArrayBuffer(4 * degree.length)).fill(-1);
  let end = 0;
  for (const item of chosen) {
    first[item] = end;
    end += wordsOf(item);
  }
  tables.forEach((table, at) => copyRows(table, chosen, tables.slice(0, at), first, words));
  return { words, first };
}

/** Chooses the items with the highest degrees whose rows fit into `room` words, in ascending order. */
function chooseItems(degree: Int32Array, wordsOf: (item: number) => number, room: number): { chosen: Int32Array; total: number } {
  const byDegree = Int32Array.from(degree.keys()).sort((a, b) => (degree[b] ?? 0) - (degree[a] ?? 0) || a - b);
  let total = 0;
  let count = 0;
  for (; count < byDegree.length; count += 1) {
    const words = wordsOf(byDegree[count] ?? 0);
    if (total + words > room) break;
    total += words;
  }
  return { chosen: byDegree.subarray(0, count).sort(), total };
}

function copyRows(table: SharedTable, chosen: Int32Array, before: readonly SharedTable[], first: Int32Array, words: Int32Array): void {
  const rows = new RowTable(table.pointer, new Readahead(table.place, 2 ** 20), table.planes);
  const row = new Row();
  for (const item of chosen) {
    rows.read(item, row);
    words.set(row.ints.subarray(row.start, row.start + row.count * (1 + table.planes)), (first[item] ?? 0) + skipped(before, item));
  }
}

/** Number of words of an item that precede the words of a table. */
function skipped(before: readonly SharedTable[], item: number): number {
  let sum = 0;
  for (const { pointer, planes } of before) sum += entries(pointer, item) * (1 + planes);
  return sum;
}

const entries = (pointer: Float64Array, row: number): number => (pointer[row + 1] ?? 0) - (pointer[row] ?? 0);

/** A row table that reads the rows in `HotRows` from memory and other rows from the file. */
export class HotTable extends RowTable {
  private readonly hot: WordSource;
  private readonly first: Int32Array;
  private readonly before: readonly SharedTable[];
  private readonly rowWords: number;

  /** @param before tables whose words precede the words of this table */
  constructor({ pointer, planes }: SharedTable, source: WordSource, hot: HotRows, before: readonly SharedTable[]) {
    super(pointer, source, planes);
    const { buffer, byteOffset, length } = hot.words;
    this.hot = { resident: { ints: hot.words, floats: new Float32Array(buffer, byteOffset, length) }, read: () => undefined };
    this.first = hot.first;
    this.before = before;
    this.rowWords = 1 + planes;
  }

  override read(row: number, into: Row, from = 0): void {
    const first = this.first[row] ?? -1;
    if (first < 0 || from > 0) return super.read(row, into, from);
    const count = this.count(row);
    into.fill(this.hot, first + skipped(this.before, row), count * this.rowWords, count);
  }
}
