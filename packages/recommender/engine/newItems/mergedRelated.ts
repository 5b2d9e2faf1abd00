import { inMemory, Row, type RowTable, type WordSource } from '../modelFile/wordRows.ts';
import type { Addition } from '../modelFile/addedItems.ts';
import { keepLatest } from '../query/keepLatest.ts';
import { AddedTable, type AddedRow } from './addedTable.ts';

/** Maximum number of merged rows in memory: about 8 MB. */
const maxMerged = 4096;

/** The related items of a model file with added items in their places: by descending value within a type. */
export class MergedRelated extends AddedTable {
  private readonly additionsTo: (item: number) => readonly Addition[];
  private readonly typeOf: (item: number) => number;
  private readonly own = new Row();
  /** Merged rows, the oldest first. A row is valid as long as it has all additions: additions are never removed. */
  private readonly merged = new Map<number, { row: MergedRow; additions: number }>();

  constructor(table: RowTable, first: number, rowOf: (row: number) => AddedRow | undefined, additionsTo: (item: number) => readonly Addition[], typeOf: (item: number) => number) {
    super(table, first, rowOf);
    this.additionsTo = additionsTo;
    this.typeOf = typeOf;
  }

  override read(row: number, into: Row): void {
    const additions = this.additionsTo(row);
    if (additions.length === 0) return super.read(row, into);
    let known = this.merged.get(row);
    if (known?.additions !== additions.length) {
      super.read(row, this.own);
      known = { row: this.merge(this.own, additions), additions: additions.length };
      keepLatest(this.merged, row, known, maxMerged);
    }
    known.row.show(into);
  }

  /** Inserts additions by value within their types, which follow each other in the row; types that the row does not have follow. */
  private merge({ ints, floats, start, count }: Row, additions: readonly Addition[]): MergedRow {
    const merged = new MergedRow(count + additions.length);
    const waiting = this.byType(additions);
    let type = -2;
    let own: readonly Addition[] = [];
    let next = 0;
    const endType = (): void => {
      for (; next < own.length; next += 1) merged.insert(own[next] as Addition, 0);
      merged.previous = 1;
      waiting.delete(type);
    };
    for (let at = 0; at < count; at += 1) {
      const item = ints[start + at] ?? 0;
      const [value, score] = [floats[start + count + at] ?? 0, floats[start + 2 * count + at] ?? 0];
      const ownType = this.typeOf(item);
      if (ownType !== type) {
        endType();
        [type, own, next] = [ownType, waiting.get(ownType) ?? [], 0];
      }
      for (; next < own.length && (own[next] as Addition).value > value; next += 1) merged.insert(own[next] as Addition, score);
      merged.push(item, value, score);
    }
    endType();
    for (const rest of waiting.values()) {
      for (const addition of rest) merged.insert(addition, 0);
      merged.previous = 1;
    }
    return merged;
  }

  private byType(additions: readonly Addition[]): Map<number, Addition[]> {
    const groups = new Map<number, Addition[]>();
    for (const addition of additions) {
      const type = this.typeOf(addition.item);
      const group = groups.get(type);
      if (group === undefined) groups.set(type, [addition]);
      else group.push(addition);
    }
    return groups;
  }
}

/** Entries of one row in their order: items, values, scores. */
class MergedRow {
  /** Score of the entry before, in the list of the same type. */
  previous = 1;
  private readonly entries: number;
  private readonly ints: Int32Array;
  private readonly floats: Float32Array;
  private readonly source: WordSource;
  private count = 0;

  constructor(entries: number) {
    this.entries = entries;
    this.ints = new Int32Array(3 * entries);
    this.floats = new Float32Array(this.ints.buffer);
    this.source = inMemory(this.ints, this.floats);
  }

  push(item: number, value: number, score: number): void {
    this.ints[this.count] = item;
    this.floats[this.entries + this.count] = value;
    this.floats[2 * this.entries + this.count] = score;
    this.count += 1;
    this.previous = score;
  }

  /**
   * Adds an item that the row does not have. Its score is limited to the scores beside it, so that scores never rise with the rank.
   * @param nextScore score of the next entry of the same type; 0 for none
   */
  insert({ item, value, score }: Addition, nextScore: number): void {
    this.push(item, value, Math.min(this.previous, Math.max(nextScore, score)));
  }

  show(into: Row): void {
    into.fill(this.source, 0, this.ints.length, this.entries);
  }
}
