import { inMemory, Row, RowTable } from '../modelFile/wordRows.ts';

/** A row in memory: indexes, and one plane of floats after another. */
export interface AddedRow {
  index: Int32Array;
  planes: readonly (Float32Array | Float64Array)[];
}

const emptyRow: AddedRow = { index: new Int32Array(0), planes: [] };

/** A table of a model file with further rows. */
export class AddedTable extends RowTable {
  private readonly table: RowTable;
  private readonly first: number;
  private readonly rowOf: (row: number) => AddedRow | undefined;

  /**
   * @param first number of the first further row
   * @param rowOf further rows; undefined for an empty row
   */
  constructor(table: RowTable, first: number, rowOf: (row: number) => AddedRow | undefined) {
    super(table.pointer, noWords, 0);
    this.table = table;
    this.first = first;
    this.rowOf = rowOf;
  }

  override count(row: number): number {
    return row < this.first ? this.table.count(row) : (this.rowOf(row)?.index.length ?? 0);
  }

  override read(row: number, into: Row, from = 0): void {
    if (row < this.first) this.table.read(row, into, from);
    else fillRow(into, this.rowOf(row) ?? emptyRow);
  }
}

/** Fills a row from memory. */
function fillRow(into: Row, { index, planes }: AddedRow): void {
  const ints = new Int32Array(index.length * (1 + planes.length));
  const floats = new Float32Array(ints.buffer);
  ints.set(index);
  planes.forEach((plane, at) => floats.set(plane, index.length * (at + 1)));
  into.fill(inMemory(ints, floats), 0, ints.length, index.length);
}

const noWords = inMemory(new Int32Array(0), new Float32Array(0));
