/** How a list differs from another list of the same request. */
export interface ListDifference {
  /** Items that only one of the lists has. */
  removed: string[];
  added: string[];
  /** Number of items that both lists have, at different ranks. */
  moved: number;
  /** Share of the items of the first list that the second list has; 1 if both are empty. */
  overlap: number;
}

/** Compares two lists of ids, best first; no id occurs twice in a list. */
export function compareLists(before: readonly string[], after: readonly string[]): ListDifference {
  const ranks = new Map(after.map((id, at) => [id, at]));
  const known = new Set(before);
  const removed = before.filter((id) => !ranks.has(id));
  const kept = before.length - removed.length;
  return {
    removed,
    added: after.filter((id) => !known.has(id)),
    moved: before.filter((id, at) => ranks.has(id) && ranks.get(id) !== at).length,
    overlap: before.length === 0 ? (after.length === 0 ? 1 : 0) : kept / before.length,
  };
}
