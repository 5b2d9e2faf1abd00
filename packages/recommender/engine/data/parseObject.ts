/** Parses JSON text. @returns null if the text is not a JSON object */
export function parseObject(text: string): object | null {
  if (text === '') return null;
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** Whether a value is a JSON object, and not a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
