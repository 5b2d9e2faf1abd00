import type { ModelFacts } from './modelLayout.ts';
import type { Row } from './wordRows.ts';

/** Rows that are read one by one. */
export interface RowReader {
  read(row: number, into: Row): void;
}

/** What the list of a user is made from: an open model, or the parts of one that threads share while it is written. */
export interface UserModel {
  readonly facts: Pick<ModelFacts, 'setting' | 'items' | 'rank'>;
  readonly degree: Int32Array;
  readonly eigenvalues: Float64Array;
  readonly history: RowReader;
  readonly operator: RowReader;
  readonly related: RowReader;
  readonly transitions: RowReader | null;
  /** 1 for items that have cold ones among their related items; null where that is not known. */
  readonly leadsToCold: Uint8Array | null;
  typeOfItem(item: number): number;
  readEmbedding(item: number, row: Row): void;
  readUserFactor(user: number, row: Row): void;
}
