/**
 * Returns the names that several entries of a list have, as parts of one size often do: only ids tell such entries apart.
 * @param names null for an entry without a name, which is shown by its id
 */
export function sharedNames(names: readonly (string | null)[]): ReadonlySet<string | null> {
  const seen = new Set<string>();
  return new Set(names.filter((name) => name !== null && (seen.has(name) || !seen.add(name))));
}
