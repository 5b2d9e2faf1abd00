import { Type } from 'typebox';

/** Schema keywords of a URL that the guard of outgoing requests checks, with its own messages. Only the OpenAPI document contains these keywords. */
export const webAddress = { described: { format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://' } };

/**
 * Schema of a list of labels (`tags`, `data_tags`) in a query, a JSON body or a form. The reader converts each accepted notation to `string[]` before
 * it checks the limits.
 */
export function tagList(description: string) {
  const range = 'a tag or a list of at most 32 tags, each of at most 64 characters';
  return Type.Array(Type.String({ maxLength: 64 }), { description, maxItems: 32, list: 'tags', range });
}

/** Schema of a comma-separated list of identifiers or types in a query. The reader parses the list as one CSV record into `string[]`. */
export function identifierList(description: string) {
  const range = 'comma-separated names of at most 1024 characters each; a name that contains a comma must be in double quotes';
  return Type.Array(Type.String({ maxLength: 1024 }), { description, list: 'csv', range });
}

/**
 * Reads labels from a string, a list of strings, a JSON array as text, or text separated by commas. Labels are trimmed; empty labels and duplicates
 * are dropped, and the first occurrences keep their order.
 * @returns null if a member is not a string
 */
export function parseTags(value: unknown): string[] | null {
  const members = Array.isArray(value) ? value : [value];
  const tags = new Set<string>();
  for (const member of members) {
    if (typeof member !== 'string') return null;
    const parts = splitTags(member);
    if (parts === null) return null;
    for (const part of parts) if (part !== '') tags.add(part);
  }
  return [...tags];
}

function splitTags(text: string): string[] | null {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) {
    const parsed = parseJson(trimmed);
    if (Array.isArray(parsed)) {
      if (!parsed.every((member) => typeof member === 'string')) return null;
      return parsed.flatMap((member: string) => member.split(',')).map((tag) => tag.trim());
    }
  }
  return trimmed.split(',').map((tag) => tag.trim());
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A single identifier without quotes, commas and blanks, as in nearly all requests. Such an identifier needs no CSV parser. */
const plainIdentifier = /^[^\s,"]+$/;
const blanks = ' \t\r\n';

/**
 * Reads identifiers. Each text is one CSV record (RFC 4180), so an identifier with a comma or a quote must be in double quotes. Repeated parameters
 * are combined. Members are trimmed; empty members and duplicates are dropped.
 * @returns null if a member is not a string, or a quote is not closed
 */
export function parseIdentifiers(value: unknown): string[] | null {
  if (typeof value === 'string' && plainIdentifier.test(value)) return [value];
  const members = Array.isArray(value) ? value : [value];
  const identifiers = new Set<string>();
  for (const member of members) {
    const fields = typeof member === 'string' ? splitIdentifiers(member) : null;
    if (fields === null) return null;
    for (const field of fields) if (field !== '') identifiers.add(field);
  }
  return [...identifiers];
}

/** Reads one CSV record (RFC 4180). Blanks around fields without quotes are left out; other white space, such as U+3000 or U+FEFF, belongs to the identifier. @returns null if a quote is not closed */
export function splitIdentifiers(text: string): string[] | null {
  const fields: string[] = [];
  // Blanks before an opening quote belong neither to the field nor to its content.
  const field = /[ \t\r\n]*(?:"((?:[^"]|"")*)"[ \t\r\n]*|([^,]*))(,|$)/y;
  let position = 0;
  for (;;) {
    field.lastIndex = position;
    const match = field.exec(text);
    if (match === null) return null;
    const [whole, quoted, bare, separator] = match;
    // The quoted form did not match, so the opening quote has no closing quote.
    if (quoted === undefined && bare?.startsWith('"')) return null;
    fields.push(quoted === undefined ? trimBlanks(bare ?? '') : quoted.replaceAll('""', '"'));
    if (separator === '') return fields;
    position += whole.length;
  }
}

/** Writes an identifier as a CSV record of one field, which `splitIdentifiers` reads: quoted if it contains a comma or a quote, or has white space at its ends. */
export function quoteIdentifier(identifier: string): string {
  return /[",]|^\s|\s$/.test(identifier) ? `"${identifier.replaceAll('"', '""')}"` : identifier;
}

function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && blanks.includes(text.charAt(start))) start += 1;
  while (end > start && blanks.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
