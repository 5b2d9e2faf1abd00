/** Type of a metadata column. Numbers are doubles; a timestamp is in ms since the epoch. */
export type ColumnType = (typeof columnTypes)[number];

export const columnTypes = ['number', 'bool', 'string', 'timestamp', 'list<string>', 'list<number>'] as const;

/** Value of a column in one row; undefined if the row has none. */
export type ColumnValue = number | boolean | string | readonly (string | number)[] | undefined;

/** A column of a model file. `sparse` columns name the items that have a value. */
export interface ColumnFact {
  name: string;
  type: ColumnType;
  /** Number of rows with a value. */
  count: number;
  sparse?: boolean;
}

/** A metadata member that is not kept as a column, and the reason as a clause. */
export interface OmittedColumn {
  name: string;
  reason: string;
}

/** The columns in the header of a model file; `users` are members of entities that are not items. */
export interface ColumnFacts {
  items: ColumnFact[];
  users: ColumnFact[];
  omitted: OmittedColumn[];
}

/** Texts with more characters are not kept: descriptions are not compared in filters, and would multiply the size of a model. */
export const longestText = 256;
