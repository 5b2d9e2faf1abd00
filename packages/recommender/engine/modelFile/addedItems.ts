import type { ColumnType, ColumnValue } from '../data/column.ts';
import type { RowTable } from './wordRows.ts';

/** An added item in the list of an item. */
export interface Addition {
  item: number;
  /** Ranking value of the pair, comparable with the values in the list. */
  value: number;
  score: number;
}

/** Items of a reader that its model file does not have. Their numbers follow the numbers of the file's items. */
export interface AddedItems {
  /** Number of the first added item, and of its node. */
  readonly firstItem: number;
  readonly firstNode: number;
  /** The related items in the model file, without added items. */
  readonly filedRelated: RowTable;
  /** Changes whenever the listed items change. */
  readonly changes: number;
  /** Whether lists may contain an added item; a number without an item and an item that was replaced are not listed. */
  isListed(item: number): boolean;
  /** Returns the added items that belong to the list of an item, by descending value. */
  additionsTo(item: number): readonly Addition[];
  columnValue(item: number, name: string, type: ColumnType): ColumnValue;
}
