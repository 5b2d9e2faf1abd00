import { Type } from 'typebox';

/**
 * Keywords of a URL that is judged by the guard of outgoing requests, with sentences of its own: only the description of the
 * interface shows them.
 */
export const webAddress = { described: { format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://' } };

/**
 * Schema of a list of labels (`tags`, `data_tags`) in a query, a JSON body or a form.
 * The validator reads every accepted spelling into `string[]` before it checks the limits.
 */
export function tagList(description: string) {
  return Type.Array(Type.String({ maxLength: 64 }), { description, maxItems: 32, list: 'tags' });
}

/** Schema of a comma-separated list of identifiers or types in a query, read as one CSV record into `string[]`. */
export function identifierList(description: string) {
  const range = 'names separated by commas, each of at most 1024 characters; one with a comma stands in double quotes that are closed';
  return Type.Array(Type.String({ maxLength: 1024 }), { description, list: 'csv', range });
}

/**
 * Reads labels: a string or a list of strings, a JSON array as text, or text separated by commas.
 * Trimmed, empty ones dropped, duplicates collapsed in the order of their first occurrence.
 * @returns null where a member is not a string
 */
export function readTags(value: unknown): string[] | null {
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

/** One identifier that stands for itself, as nearly all requests have it: it needs no record and no set. */
const plainIdentifier = /^[^\s,"]+$/;

/**
 * Reads identifiers: each text is one CSV record (RFC 4180), so that an identifier with a comma or a quote stands in
 * double quotes. Repeated parameters add up. Blanks around members are trimmed, empty members dropped, duplicates collapsed.
 * @returns null where a member is not a string, or a quote is not closed
 */
export function readIdentifiers(value: unknown): string[] | null {
  if (typeof value === 'string' && plainIdentifier.test(value)) return [value];
  const members = Array.isArray(value) ? value : [value];
  const identifiers = new Set<string>();
  for (const member of members) {
    const fields = typeof member === 'string' ? readCsvRecord(member) : null;
    if (fields === null) return null;
    for (const field of fields) if (field !== '') identifiers.add(field);
  }
  return [...identifiers];
}

function readCsvRecord(text: string): string[] | null {
  const fields: string[] = [];
  // A blank before a quote belongs to neither the field nor its content.
  const field = /\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(,|$)/y;
  let position = 0;
  for (;;) {
    field.lastIndex = position;
    const match = field.exec(text);
    if (match === null) return null;
    const [whole, quoted, bare, separator] = match;
    // An opening quote that the quoted form did not accept is an unbalanced one.
    if (quoted === undefined && bare?.startsWith('"')) return null;
    fields.push(quoted === undefined ? (bare ?? '').trim() : quoted.replaceAll('""', '"'));
    if (separator === '') return fields;
    position += whole.length;
  }
}
