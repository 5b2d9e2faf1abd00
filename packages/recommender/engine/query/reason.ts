/**
 * Why an item is in a list. `share` is the part of the value that orders the list which goes when what the reason names
 * is removed from the data; the shares of one item add up to at most 1. `count` is how many there are, `ids` names the
 * first few.
 */
export type Reason =
  /**
   * Users with interactions with both items; with `through`: users of the recommended item who have the third item
   * `through`, which is related to the source.
   */
  | { kind: 'co_interaction'; ids: string[]; through?: string; count: number; share: number }
  /** An attribute of the recommended item; `count` items of the model carry it. */
  | { kind: 'attribute'; field: string; value: string; count: number; share: number }
  /** One item of the user's history. */
  | { kind: 'history'; ids: string[]; count: number; share: number }
  /** The item is wanted now; `count` users have it. */
  | { kind: 'trending'; count: number; share: number };
