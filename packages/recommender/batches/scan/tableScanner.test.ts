import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanText } from '../../testing/scanText.ts';

const entities = 'id,type,name,metadata,media_url';
const interactions = 'type,source_id,target_id,timestamp,metadata';

function faultsOf(content: string | Uint8Array) {
  const { result } = scanText(content);
  return result.outcome === 'faults' ? result.faults : [];
}

describe('a fault is reported with its place:', () => {
  const bytes = (text: string) => Buffer.from(text, 'latin1');
  it.each<[what: string, content: string | Uint8Array, fault: Record<string, unknown>, detail: RegExp]>([
    ['an empty file', '', { line: 1 }, /the file is empty/],
    ['a file of line ends', '\n\r\n\n', { line: 1 }, /the file is empty/],
    ['only a byte order mark', '\ufeff', { line: 1 }, /the file is empty/],
    ['a header without rows', `${entities}\n`, { line: 1 }, /no rows/],
    ['a header without rows or line end', entities, { line: 1 }, /no rows/],
    ['no header', 'a,film,Alien,,\n', { line: 1 }, /neither table.*first line must be the header/],
    ['a wrong header', 'user,item,rating\n1,2,3\n', { line: 1 }, /columns user,item,rating, which is neither table/],
    ['a missing column', 'type,source_id,timestamp,metadata\n', { line: 1, column: 'target_id' }, /the column target_id is missing/],
    ['missing columns', 'id,type,extra\n', { line: 1, column: 'name,metadata,media_url' }, /columns name, metadata, media_url are missing/],
    ['a column twice', `${entities},ID\n`, { line: 1, column: 'id' }, /names the column id 2 times \(id and id\)/],
    ['a column under both names', `${entities},entity_type\n`, { line: 1, column: 'type' }, /type and entity_type/],
    ['both tables at once', `${entities},source_id,target_id,timestamp\n`, { line: 1 }, /both tables at once/],
    ['a header that is not UTF-8', bytes('id,type,na\xffme\n'), { line: 1 }, /header is not valid UTF-8/],
    ['a short row', `${entities}\na,film,,,\nb,film\nc,film,,,\n`, { row: 2, line: 3, value: 'b,film' }, /2 fields, fewer than the 5/],
    ['a long row', `${entities}\na,film,,,,\n`, { row: 1, line: 2 }, /6 fields, more than the 5/],
    ['an empty id', `${entities}\n,film,,,\n`, { row: 1, line: 2, column: 'id', value: '' }, /id is empty/],
    ['a quoted empty id', `${entities}\n"",film,,,\n`, { row: 1, line: 2, column: 'id' }, /id is empty/],
    ['a blank id', `${entities}\n  ,film,,,\n`, { row: 1, line: 2, column: 'id' }, /id is blank/],
    ['an empty type', `${entities}\na,,,,\n`, { row: 1, line: 2, column: 'type' }, /type is empty/],
    ['an empty target', `${interactions}\nview,u,,,\n`, { row: 1, line: 2, column: 'target_id' }, /target_id is empty/],
    ['a long id', `${entities}\n${'i'.repeat(1025)},film,,,\n`, { row: 1, line: 2, column: 'id', value: `${'i'.repeat(80)}…` }, /1025 bytes; at most 1024/],
    ['a long name with doubled quotes', `${entities}\na,film,"${'""'.repeat(4097)}",,\n`, { row: 1, line: 2, column: 'name' }, /bytes; at most 4096/],
    ['a field of 1 MB', `${entities}\na,film,,${'m'.repeat(1 << 20)},\n`, { row: 1, line: 2, column: 'metadata' }, /1048576 bytes; at most 65536/],
    ['a longer field in an ignored column', `${entities},x\na,film,,,,${'m'.repeat(3 << 20)}\n`, { row: 1, line: 2 }, /longer than 1048576 bytes/],
    ['metadata that is no JSON', `${entities}\na,film,,{a:1},\n`, { row: 1, line: 2, column: 'metadata', value: '{a:1}' }, /metadata is not JSON/],
    ['metadata that is a list', `${entities}\na,film,,[1],\n`, { row: 1, line: 2, column: 'metadata', value: '[1]' }, /JSON list, not a JSON object/],
    ['metadata that is a number', `${entities}\na,film,,17,\n`, { row: 1, line: 2, column: 'metadata', value: '17' }, /JSON number, not a JSON object/],
    ['metadata that is deep', `${entities}\na,film,,${'{"a":'.repeat(70)}1${'}'.repeat(70)},\n`, { row: 1, column: 'metadata' }, /deeper than 64 levels/],
    ['a time that is none', `${interactions}\nview,u,a,yesterday,\n`, { row: 1, line: 2, column: 'timestamp', value: 'yesterday' }, /ISO 8601/],
    ['a day that is none', `${interactions}\nview,u,a,2023-02-29,\n`, { row: 1, line: 2, column: 'timestamp' }, /ISO 8601/],
    ['microseconds', `${interactions}\nview,u,a,1717158600000000,\n`, { row: 1, line: 2, column: 'timestamp' }, /up to the year 9999/],
    ['a field behind quoted newlines', `${interactions}\n"a\nb","c\r\nd",x,never,\n`, { row: 1, line: 4, column: 'timestamp', value: 'never' }, /ISO 8601/],
    ['a row behind quoted newlines and blank lines', `${entities}\n\n"a\n\nb",film,,,\n\nc\n`, { row: 2, line: 7 }, /1 fields/],
    ['text behind a closing quote', `${entities}\na,film,"x"y,,\nb,film,,,\n`, { row: 1, line: 2, column: 'name', value: '"x"y,,' }, /text follows the closing quote/],
    ['an unclosed quote', `${entities}\na,film,,,\nb,film,"open,,\nc,film,,,\n`, { row: 2, line: 3, column: 'name' }, /never closed/],
    ['an unclosed quote in the last line', `${entities}\na,film,,,\n"b,film\n`, { row: 2, line: 3, column: 'id', value: '"b,film\\n' }, /never closed/],
    ['an unclosed quote as the last byte', `${entities}\na,film,,,\nb,film,"`, { row: 2, line: 3, column: 'name', value: '"' }, /never closed/],
    ['an unclosed quote before much text', `${entities}\nb,film,"open,,\n${'c,film,,,\n'.repeat(300_000)}`, { row: 1, line: 2, column: 'name' }, /never closed/],
    ['invalid UTF-8', bytes(`${entities}\na,film,ok,,\nb,film,\xe4,,\n`), { row: 2, line: 3, column: 'name' }, /not valid UTF-8/],
    ['a cut character at the end', bytes(`${entities}\na,film,,,\xe2\x82`), { row: 1, line: 2, column: 'media_url' }, /not valid UTF-8/],
    ['a binary file', Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 0x1a, 10, 0, 0, 0, 13]), { line: 1 }, /not valid UTF-8|binary|neither/],
    ['a NUL byte late in the file', `${entities}\na,film,,,\nb,fi\0lm,,,\n`, { row: 2, line: 3 }, /NUL byte: the file is binary/],
    ['a spreadsheet', Buffer.from('PK\u0003\u0004rest'), { line: 1 }, /spreadsheet/],
    ['UTF-16', Buffer.from(`\ufeff${entities}\n`, 'utf16le'), { line: 1 }, /UTF-16/],
  ])('%s', (_what, content, fault, detail) => {
    const [first, ...others] = faultsOf(content);
    expect(first).toMatchObject({ location: 'file:t.csv', ...fault });
    expect(first?.detail).toMatch(detail);
    expect(others).toEqual([]);
    if (fault['row'] === undefined) expect(first).not.toHaveProperty('row');
  });

  it('all faults of a file at once, a good row between them', () => {
    const faults = faultsOf(`${interactions}\nview,,a,x,[]\nview,u,a,,\nview,u\n`);
    expect(faults.map(({ row, line, column }) => [row, line, column])).toEqual([
      [1, 2, 'source_id'], [1, 2, 'timestamp'], [1, 2, 'metadata'], [3, 4, undefined],
    ]);
  });

  it('not more than 100, and the rest of the file is not read', () => {
    const { result } = scanText(`${entities}\n${'x\n'.repeat(5000)}`, { limits: { maxRows: 1000 } });
    expect(result).toMatchObject({ outcome: 'faults' });
    expect(result.outcome === 'faults' && result.faults.length).toBe(100);
  });
});

describe('limits', () => {
  it('hold for rows and bytes, and are not reached by exactly as much', () => {
    const file = `${entities}\na,film,,,\nb,film,,,\n`;
    expect(scanText(file, { limits: { maxRows: 2, maxBytes: file.length } }).result).toMatchObject({ outcome: 'scanned', rows: 2 });
    expect(scanText(file, { limits: { maxRows: 1 } }).result).toMatchObject({ outcome: 'too-large', detail: expect.stringContaining('1 rows') });
    expect(scanText(file, { limits: { maxBytes: file.length - 1 } }).result).toMatchObject({ outcome: 'too-large' });
  });
});

/** Values with characters that are special for a CSV reader. */
const text = fc.string({
  unit: fc.constantFrom('a', 'b', '7', ' ', ',', ';', '\t', '"', '""', '\n', '\r', '\r\n', '\u001e', '\u001f', 'L', 'é', '漢', '👽', '\ufeff'),
  maxLength: 8,
});
const identifier = text.filter((value) => value.trim() !== '' && [...value].some((sign) => sign.charCodeAt(0) > 32));
const table = fc.array(fc.record({
  id: identifier, type: identifier, name: text.filter((value) => value !== ''), quoteAll: fc.boolean(),
}), { minLength: 1, maxLength: 6 });

function writeField(value: string, separator: string, quoteAll: boolean): string {
  const needed = value.startsWith('"') || [separator, '\n', '\r'].some((sign) => value.includes(sign));
  return needed || quoteAll ? `"${value.replaceAll('"', '""')}"` : value;
}

describe('whatever a CSV writer writes', () => {
  it('is read back as the same values, however it is quoted, separated and cut into chunks', () => {
    fc.assert(fc.property(
      table, fc.constantFrom(',', ';', '\t'), fc.constantFrom('\n', '\r\n', '\r'), fc.boolean(), fc.boolean(),
      fc.array(fc.nat(400), { maxLength: 12 }),
      (rows, separator, lineEnd, hasMark, endsWithLineEnd, places) => {
        const lines = rows.map(({ id, type, name, quoteAll }) =>
          [id, 'ignored', type, name, '', ''].map((value) => writeField(value, separator, quoteAll)).join(separator));
        const header = ['id', 'other', 'type', 'name', 'metadata', 'media_url'].join(separator);
        const file = Buffer.from((hasMark ? '\ufeff' : '') + [header, ...lines].join(lineEnd) + (endsWithLineEnd ? lineEnd : ''));
        const cuts = places.filter((place) => place < file.length).sort((a, b) => a - b);
        const { result, rows: read } = scanText(file, { cuts });
        expect(result).toMatchObject({ outcome: 'scanned', rows: rows.length });
        expect(read).toEqual(rows.map(({ id, type, name }, index) => ({ row: String(index + 1), id, type, name, metadata: '', media_url: '' })));
      },
    ), { numRuns: 400 });
  });

  it('is read the same when cut at every byte', () => {
    const file = Buffer.from(`\ufeff${interactions}\r\n"vi""ew",u\u001f,"a\r\n漢",2024-05-31T12:30:00Z,"{""k"": [1, ""x\\n""]}"\r\n\r\nview,"u,2",👽,1717158600,\r\n`);
    const whole = scanText(file);
    expect(whole.rows).toEqual([
      { row: '1', type: 'vi"ew', source_id: 'u\u001f', target_id: 'a\r\n漢', timestamp: '1717158600000', metadata: '{"k": [1, "x\\n"]}' },
      { row: '2', type: 'view', source_id: 'u,2', target_id: '👽', timestamp: '1717158600000', metadata: '' },
    ]);
    for (let cut = 1; cut < file.length; cut++) expect(scanText(file, { cuts: [cut] })).toEqual(whole);
    expect(scanText(file, { cuts: Array.from({ length: file.length - 1 }, (_, index) => index + 1) })).toEqual(whole);
  });

  it('never throws on arbitrary bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, withHeader) => {
      const file = withHeader ? Buffer.concat([Buffer.from(`${entities}\n`), bytes]) : bytes;
      expect(['scanned', 'faults']).toContain(scanText(file).result.outcome);
    }), { numRuns: 500 });
  });
});
