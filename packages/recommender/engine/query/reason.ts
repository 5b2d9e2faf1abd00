/**
 * A reason why an item is in a list. `share` is the part of the ranking value that disappears if the named users, attribute
 * or item are removed from the data; the shares of one item sum to at most 1. `count` is the number of users, items or
 * interactions, `ids` names the first few.
 */
export type Reason =
  /**
   * Users with interactions with both items. With `through`: users of the recommended item who also have the third item
   * `through`, which is related to the source.
   */
  | { kind: 'co_interaction'; ids: string[]; through?: string; count: number; share: number }
  /** An attribute of the recommended item; `count` items of the model have this attribute. */
  | { kind: 'attribute'; field: string; value: string; count: number; share: number }
  /** One item of the user's history. */
  | { kind: 'history'; ids: string[]; count: number; share: number }
  /** The item is currently trending; `count` users have it. */
  | { kind: 'trending'; count: number; share: number };
