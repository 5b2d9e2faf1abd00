/** What the beginning of a file shows. The server checks the whole file; this is only for the eyes. */
export interface Glance {
  kind: 'entities' | 'interactions' | 'compressed' | 'unknown';
  columns: string[];
  rows: string[][];
}

const glanceBytes = 64 * 1024;
const shownRows = 5;

/** Reads the header and the first rows of a CSV file. */
export async function glanceAt(file: File): Promise<Glance> {
  const bytes = new Uint8Array(await file.slice(0, glanceBytes).arrayBuffer());
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return { kind: 'compressed', columns: [], rows: [] };
  const text = new TextDecoder().decode(bytes).replace(/^\uFEFF/, '');
  const head = text.split(/\r?\n/, 1)[0] ?? '';
  const separator = [',', ';', '\t'].toSorted((a, b) => head.split(b).length - head.split(a).length)[0] ?? ',';
  const [columns = [], ...rows] = parse(text, separator, shownRows + 1);
  const has = (...names: string[]): boolean => names.every((name) => columns.some((column) => column.trim().toLowerCase() === name));
  const kind = has('source_id', 'target_id') ? 'interactions' : has('id') ? 'entities' : 'unknown';
  return { kind, columns, rows };
}

/** The first records of a CSV text (RFC 4180). */
function parse(text: string, separator: string, limit: number): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let field = '';
  let quoted = false;
  for (let at = 0; at < text.length && records.length < limit; at += 1) {
    const letter = text[at] as string;
    if (quoted && letter === '"' && text[at + 1] === '"') { field += '"'; at += 1; }
    else if (letter === '"' && (quoted || field === '')) quoted = !quoted;
    else if (!quoted && letter === separator) { record.push(field); field = ''; }
    else if (!quoted && letter === '\n') {
      records.push([...record, field.replace(/\r$/, '')]);
      [record, field] = [[], ''];
    } else field += letter;
  }
  return field === '' && record.length === 0 || records.length >= limit ? records : [...records, [...record, field]];
}
