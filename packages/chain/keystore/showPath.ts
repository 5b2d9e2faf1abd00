/** Formats a path for a message. If the path contains a private key, entered by mistake, the path is hidden. */
export function showPath(path: string): string {
  // 49 hex digits or more also match a key with missing digits. Ethereum addresses, common in keystore names, have 40.
  return /[0-9a-fA-F]{49,}/.test(path) ? `(a path of ${path.length} characters in the format of a private key, not shown)` : path;
}
