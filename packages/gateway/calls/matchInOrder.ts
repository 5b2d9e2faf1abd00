/**
 * Finds which of the wanted texts occur in `found` in the same order: a longest common subsequence (Wagner and Fischer 1974), in which an earlier wanted text
 * is preferred to a later one.
 * @returns for each wanted text whether it was matched
 * @example
 * matchInOrder(['enter', 'exit', 'enter'], ['exit', 'enter']) // [false, true, true]
 */
export function matchInOrder(wanted: readonly string[], found: readonly string[]): boolean[] {
  // lengths[i][j]: length for the texts from wanted[i] and from found[j] on.
  const lengths = Array.from({ length: wanted.length + 1 }, () => Array.from({ length: found.length + 1 }, () => 0));
  const lengthAt = (i: number, j: number): number => (lengths[i] as number[])[j] as number;
  for (let i = wanted.length - 1; i >= 0; i -= 1) {
    for (let j = found.length - 1; j >= 0; j -= 1) {
      (lengths[i] as number[])[j] = wanted[i] === found[j] ? 1 + lengthAt(i + 1, j + 1) : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const matched = wanted.map(() => false);
  for (let i = 0, j = 0; i < wanted.length && j < found.length;) {
    if (wanted[i] === found[j]) {
      matched[i] = true;
      i += 1;
      j += 1;
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return matched;
}
