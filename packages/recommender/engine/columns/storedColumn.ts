/** Returns the row of an item; -1 if the column has no value for the item. */
type RowOf = (item: number) => number;

interface StoredRows {
  /** Rows of a sparse column; null if the row of an item is the item. */
  rowOf: RowOf | null;
  /** First item whose values are not stored here. */
  end: number;
}

/** Numbers or timestamps by row; NaN if absent. */
export interface StoredNumbers extends StoredRows {
  kind: 'numbers';
  values: Float64Array;
}

/** Numbers of texts by row; -1 if absent. */
export interface StoredTexts extends StoredRows {
  kind: 'texts';
  codes: Int32Array;
  /** Returns the number of a text, -1 if no item has the text. */
  findCode: (text: string) => number;
}

/** Lists by row: the words `codes[pointer[row] .. pointer[row + 1]]`. */
export interface StoredWords extends StoredRows {
  kind: 'lists';
  pointer: Int32Array;
  codes: Int32Array;
  word: (code: number) => string | number;
  /** Returns the number of a word, -1 if no list has the word. */
  findCode: (word: string | number) => number;
}

/** The values of a column as the model file stores them, for readers that make no object per item. */
export type StoredColumn = StoredNumbers | StoredTexts | StoredWords;
