import { Row, type RowTable } from '../modelFile/wordRows.ts';
import type { Addition } from '../modelFile/addedItems.ts';
import { AddedTable, fillRow, type AddedRow } from './addedTable.ts';

/** The related items of a model file with added items in their places: by descending value within a type. */
export class MergedRelated extends AddedTable {
  private readonly additionsTo: (item: number) => readonly Addition[];
  private readonly typeOf: (item: number) => number;
  private readonly own = new Row();

  constructor(table: RowTable, first: number, rowOf: (row: number) => AddedRow | undefined, additionsTo: (item: number) => readonly Addition[], typeOf: (item: number) => number) {
    super(table, first, rowOf);
    this.additionsTo = additionsTo;
    this.typeOf = typeOf;
  }

  override read(row: number, into: Row): void {
    const additions = this.additionsTo(row);
    if (additions.length === 0) return super.read(row, into);
    super.read(row, this.own);
    this.merge(this.own, additions, into);
  }

  /** Inserts additions by value within their types, which follow each other in the row; types that the row does not have follow. */
  private merge({ ints, floats, start, count }: Row, additions: readonly Addition[], into: Row): void {
    const { typeOf } = this;
    const merged = new MergedRow(count + additions.length);
    const types = additions.map(({ item }) => typeOf(item));
    const left = new Set(additions.keys());
    let type = -2;
    for (let at = 0; at < count; at += 1) {
      const item = ints[start + at] ?? 0;
      const [value, score] = [floats[start + count + at] ?? 0, floats[start + 2 * count + at] ?? 0];
      const next = typeOf(item);
      if (next !== type) {
        this.insert(merged, additions, left, (place) => types[place] === type, 0);
        merged.previous = 1;
        type = next;
      }
      if (left.size > 0) this.insert(merged, additions, left, (place) => types[place] === type && (additions[place]?.value ?? 0) > value, score);
      merged.push(item, value, score);
    }
    for (const each of [type, ...new Set(types)]) {
      this.insert(merged, additions, left, (place) => types[place] === each, 0);
      merged.previous = 1;
    }
    fillRow(into, merged);
  }

  /** Inserts the additions that pass. The score of an addition is limited to the scores beside it, so that scores never rise with the rank. */
  private insert(merged: MergedRow, additions: readonly Addition[], left: Set<number>, passes: (place: number) => boolean, nextScore: number): void {
    for (const place of left) {
      const addition = additions[place];
      if (addition === undefined || !passes(place)) continue;
      left.delete(place);
      merged.push(addition.item, addition.value, Math.min(merged.previous, Math.max(nextScore, addition.score)));
    }
  }
}

/** Entries of one row in their order. */
class MergedRow implements AddedRow {
  readonly index: Int32Array;
  readonly planes: [Float32Array, Float32Array];
  /** Score of the entry before, in the list of the same type. */
  previous = 1;
  private count = 0;

  constructor(entries: number) {
    this.index = new Int32Array(entries);
    this.planes = [new Float32Array(entries), new Float32Array(entries)];
  }

  push(item: number, value: number, score: number): void {
    const [values, scores] = this.planes;
    this.index[this.count] = item;
    values[this.count] = value;
    scores[this.count] = score;
    this.count += 1;
    this.previous = score;
  }
}
