/**
 * Finds which calls took effect. A call that does appends one event; calls and events are in order. Of all ways to assign events to calls, the one that
 * explains most events is chosen, and of those the one in which an earlier call took effect: a longest common subsequence (Wagner and Fischer 1974).
 * @param wanted for each call, the event that it appends; null for a call that cannot have taken effect
 * @returns for each call whether it took effect
 * @example
 * matchChanges(['enter 1', 'exit 1', 'enter 1'], ['exit 1', 'enter 1']) // [false, true, true]
 */
export function matchChanges(wanted: readonly (string | null)[], events: readonly string[]): boolean[] {
  // most[i][j]: number of events from events[j] on that the calls from i on explain.
  const most = Array.from({ length: wanted.length + 1 }, () => new Uint32Array(events.length + 1));
  const mostAt = (i: number, j: number): number => (most[i] as Uint32Array)[j] as number;
  for (let i = wanted.length - 1; i >= 0; i -= 1) {
    for (let j = events.length - 1; j >= 0; j -= 1) {
      (most[i] as Uint32Array)[j] = wanted[i] === events[j] ? 1 + mostAt(i + 1, j + 1) : Math.max(mostAt(i + 1, j), mostAt(i, j + 1));
    }
  }
  const matched = wanted.map(() => false);
  for (let i = 0, j = 0; i < wanted.length && j < events.length;) {
    if (wanted[i] === events[j]) {
      matched[i] = true;
      i += 1;
      j += 1;
    } else if (mostAt(i + 1, j) >= mostAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return matched;
}
