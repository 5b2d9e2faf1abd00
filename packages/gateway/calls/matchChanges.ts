/**
 * Finds which calls took effect. A call that does appends the events of one of its patterns; calls and events are in order. Of all ways to assign events
 * to calls, the one that explains most events is chosen, and of those the one in which an earlier call took effect: a longest common subsequence (Wagner
 * and Fischer 1974) with calls that can have two events.
 * @param patterns for each call, the events that it appends in each of the cases in which it takes effect; none for a call that cannot have taken effect
 * @returns for each call whether it took effect
 * @example
 * matchChanges([[['enter 1']], [['exit 1']], [['enter 1']]], ['exit 1', 'enter 1']) // [false, true, true]
 */
export function matchChanges(patterns: readonly (readonly (readonly string[])[])[], events: readonly string[]): boolean[] {
  // most[i][j]: number of events from events[j] on that the calls from i on explain.
  const most = Array.from({ length: patterns.length + 1 }, () => new Uint32Array(events.length + 1));
  const mostAt = (i: number, j: number): number => (most[i] as Uint32Array)[j] as number;
  /** The pattern of a call that explains most events if it begins at an event; undefined if none does. */
  const fitting = (i: number, j: number): readonly string[] | undefined => (patterns[i] as (typeof patterns)[number])
    .filter((pattern) => pattern.every((event, at) => events[j + at] === event))
    .toSorted((one, other) => other.length + mostAt(i + 1, j + other.length) - one.length - mostAt(i + 1, j + one.length))[0];
  const explained = (i: number, j: number, { length }: readonly string[]): number => length + mostAt(i + 1, j + length);
  for (let i = patterns.length - 1; i >= 0; i -= 1) {
    for (let j = events.length - 1; j >= 0; j -= 1) {
      const pattern = fitting(i, j);
      (most[i] as Uint32Array)[j] = Math.max(mostAt(i + 1, j), mostAt(i, j + 1), pattern === undefined ? 0 : explained(i, j, pattern));
    }
  }
  const matched = patterns.map(() => false);
  for (let i = 0, j = 0; i < patterns.length && j < events.length;) {
    const pattern = fitting(i, j);
    if (pattern !== undefined && explained(i, j, pattern) === mostAt(i, j)) {
      matched[i] = true;
      i += 1;
      j += pattern.length;
    } else if (mostAt(i + 1, j) === mostAt(i, j)) i += 1;
    else j += 1;
  }
  return matched;
}
