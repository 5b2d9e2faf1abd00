/** An attribute of an item. With `word`, `value` is one word of the name or of a long text, and the rest of the text can differ. */
export interface FieldValue {
  field: string;
  value: string;
  word?: true;
}

/**
 * What a reason names. `share` is the part of the ranking value that disappears if the named users, attribute or items are
 * removed from the data. `count` is the number of users, items or interactions; `ids` names the first few.
 */
export type Finding =
  /**
   * Users with interactions with both items. With `through`: users of the recommended item who also have the third item
   * `through`, which is related to the source.
   */
  | { kind: 'co_interaction'; ids: string[]; through?: string; count: number; share: number }
  /**
   * An attribute that both items have; `count` items of the model have this attribute. With `together_with`: further such
   * attributes; the share disappears only without all of them.
   */
  | { kind: 'attribute'; field: string; value: string; word?: true; together_with?: FieldValue[]; count: number; share: number }
  /** Items of the user's history. */
  | { kind: 'history'; ids: string[]; count: number; share: number }
  /** The item is from a list of trending items; `count` users have it. */
  | { kind: 'trending'; count: number; share: number };

/** A finding and its sentence for the readers of a list. The shares of one entry's reasons sum to at most 1. */
export type Reason = Finding & { text: string };

/** Smallest share of a reason. Removing less does not reliably change the rank. */
export const minShare = 0.05;
const maxReasons = 3;

/**
 * The three largest findings of at least `minShare`, largest first. If overlapping shares exceed 1 in total, the smaller
 * shares are reduced to the remainder.
 */
export function keepLargest(findings: readonly Finding[]): Finding[] {
  let left = 1;
  return findings
    .toSorted((a, b) => b.share - a.share)
    .map((finding) => {
      const share = Math.min(finding.share, left);
      left -= share;
      return { ...finding, share };
    })
    .filter(({ share }) => share >= minShare)
    .slice(0, maxReasons);
}
