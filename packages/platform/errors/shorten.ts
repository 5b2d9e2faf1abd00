/** Cuts a text to at most `maxLength` characters (UTF-16), and never through a character of two. */
export function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${cut(text, maxLength - 1)}…`;
}

/** Cuts JSON text to at most `maxLength` characters, for messages: a text keeps its closing quote, a list or object its closing bracket. */
export function shortenJson(json: string, maxLength: number): string {
  if (json.length <= maxLength) return json;
  const begin = cut(json, maxLength - 2);
  // Half an escape sequence would escape the closing quote.
  const whole = json.startsWith('"') ? (/^"(?:\\u[0-9a-f]{4}|\\[^u]|[^\\])*/.exec(begin)?.[0] ?? '') : begin;
  return `${whole}…${json.at(-1) ?? ''}`;
}

function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
