/** Where the values of an item are. */
export interface StoredRows {
  /** Returns the row of an item; -1 if the column has no value for the item. */
  rowOf: (item: number) => number;
  /** First item whose values are not stored here. */
  end: number;
}

/** The distinct words of a column by number. */
export interface Words<Word extends string | number> {
  word: (code: number) => Word;
  /** Returns the number of a word; -1 if no item has the word. */
  findCode: (word: string | number) => number;
}

/** Numbers or timestamps by row; NaN if absent. */
export interface StoredNumbers extends StoredRows {
  kind: 'numbers';
  values: Float64Array;
}

/** Numbers of texts by row; -1 if absent. */
export interface StoredTexts extends StoredRows, Words<string> {
  kind: 'texts';
  codes: Int32Array;
}

/** Lists by row: the words `codes[pointer[row] .. pointer[row + 1]]`. */
export interface StoredListColumn extends StoredRows, Words<string | number> {
  kind: 'lists';
  pointer: Int32Array;
  codes: Int32Array;
}

/** The values of a column as the model file stores them, for readers that make no object per item. */
export type StoredColumn = StoredNumbers | StoredTexts | StoredListColumn;
