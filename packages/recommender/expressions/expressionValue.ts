import type { StoredColumn } from '../engine/columns/storedColumn.ts';

/**
 * Type of an expression. Integers and doubles of CEL are both `number`, because JSON has one kind of number; a timestamp is a
 * number of ms.
 */
export type ValueType = 'number' | 'bool' | 'string' | 'timestamp' | 'list<number>' | 'list<string>';

/** Value of an expression; undefined if a column that decides the value is absent. */
export type Value = number | boolean | string | readonly (number | string)[] | undefined;

/** Values of `user.…` by column. */
export type UserValues = Pick<ReadonlyMap<string, Value>, 'get'>;

/** The entities that an expression is evaluated for. One object is reused for all items of a query. */
export interface Scope {
  item: number;
  user: UserValues;
  /** Current element of a macro. */
  element: Value;
}

/** A part of an expression, compiled: its type, and its value for a scope. */
export interface Compiled {
  type: ValueType;
  evaluate: (scope: Scope) => Value;
  /** The value, if it is a number that no column decides. */
  constant?: number;
  /** The value, if it is a literal text. */
  text?: string;
  /** The stored values, if the part is a column of the item that has them. */
  stored?: StoredColumn | null;
}

/** The columns that an expression can name, without the prefix `item.` or `user.`. */
export interface Columns {
  /** What has the columns, as the subject of a fault. */
  readonly owner: 'the model' | 'the data';
  /** Returns the type of a column, its reader and its stored values; null if there is no such column. */
  item(name: string): { type: ValueType; read: (item: number) => Value; stored?: StoredColumn | null } | null;
  user(name: string): ValueType | null;
  itemNames(): readonly string[];
  userNames(): readonly string[];
  /** Why a member of the metadata is not a column, as a clause; null if no entity has this member. */
  omitted(name: string): string | null;
}

/** A fault of an expression, at a character counted from 0. */
export class ExpressionFault extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}
