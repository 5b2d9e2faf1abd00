/** Texts that programs write for a missing value, in lower case. */
const missing: ReadonlySet<string> = new Set(['null', '(null)', 'undefined', 'nan', 'none', 'nil', 'n/a', '\\n']);
/** Longer ids are not compared with these texts; they may have a few blanks around them. */
const longestMissing = 16;

/** Whether an id begins or ends with a blank. */
export function isPadded(id: string): boolean {
  return id.trim().length < id.length;
}

/** Whether an id is a text that programs write for a missing value. */
export function isPlaceholder(id: string): boolean {
  return id.length <= longestMissing && missing.has(id.trim().toLowerCase());
}
