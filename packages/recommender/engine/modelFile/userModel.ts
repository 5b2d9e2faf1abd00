import type { AddedItems } from './addedItems.ts';
import type { ModelFacts } from './modelLayout.ts';
import type { Row } from './wordRows.ts';

/** Reads rows one by one. */
export interface RowReader {
  read(row: number, into: Row): void;
}

/**
 * The parts of a model that determine a user's list. Implemented by an open model and by the parts that threads share while a
 * model is written.
 */
export interface UserModel {
  readonly facts: Pick<ModelFacts, 'setting' | 'items' | 'rank'>;
  readonly degree: Int32Array;
  readonly eigenvalues: Float64Array;
  readonly history: RowReader;
  /** Weights of the history's items, as floats in the same order; null if all are 1. */
  readonly historyWeights: RowReader | null;
  /** Disliked items with weights below 0; null if there are none. */
  readonly dislikes: RowReader | null;
  readonly operator: RowReader;
  readonly related: RowReader;
  readonly transitions: RowReader | null;
  /** 1 for items with cold items among their related items; null if unknown. */
  readonly leadsToCold: Uint8Array | null;
  readonly added: Pick<AddedItems, 'additionsTo' | 'filedRelated' | 'firstItem'> | null;
  typeOfItem(item: number): number;
  readEmbedding(item: number, row: Row): void;
  readUserFactor(user: number, row: Row): void;
}
