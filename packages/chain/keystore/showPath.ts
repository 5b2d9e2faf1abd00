/** A path as a sentence may show it: a private key that was put in the place of the path is not shown. */
export function showPath(path: string): string {
  // Also a key with a digit too few. Addresses, which keystores are named by, have 40 digits.
  return /[0-9a-fA-F]{49,}/.test(path) ? `(a path of ${path.length} characters with the form of a private key, not shown)` : path;
}
