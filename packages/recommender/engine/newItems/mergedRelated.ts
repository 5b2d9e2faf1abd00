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
    const entries = mergeAdditions(entriesOf(this.own), additions, this.typeOf);
    fillRow(into, {
      index: Int32Array.from(entries, ({ item }) => item),
      planes: [Float32Array.from(entries, ({ value }) => value), Float32Array.from(entries, ({ score }) => score)],
    });
  }
}

function entriesOf({ ints, floats, start, count }: Row): Addition[] {
  return Array.from({ length: count }, (_, at) => ({
    item: ints[start + at] ?? 0, value: floats[start + count + at] ?? 0, score: floats[start + 2 * count + at] ?? 0,
  }));
}

/** Inserts additions by value within their types. The score of an addition is limited to the scores beside it, so that scores never rise with the rank. */
function mergeAdditions(entries: readonly Addition[], additions: readonly Addition[], typeOf: (item: number) => number): Addition[] {
  const groups = new Map<number, Addition[]>();
  const groupOf = (item: number): Addition[] => {
    const type = typeOf(item);
    const known = groups.get(type) ?? [];
    groups.set(type, known);
    return known;
  };
  for (const entry of entries) groupOf(entry.item).push(entry);
  for (const addition of additions.toSorted((a, b) => b.value - a.value || a.item - b.item)) {
    const group = groupOf(addition.item);
    const below = group.findIndex(({ value }) => value < addition.value);
    const at = below < 0 ? group.length : below;
    const score = Math.min(group[at - 1]?.score ?? 1, Math.max(group[at]?.score ?? 0, addition.score));
    group.splice(at, 0, { ...addition, score });
  }
  return [...groups.values()].flat();
}
