import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readParquet } from '../../testing/readParquet.ts';
import { convertTable } from './convertTable.ts';

const entities = 'id,type,name,metadata,media_url';
const interactions = 'type,source_id,target_id,timestamp,metadata';

let folder = '';
beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'vouch-table-')); });
afterEach(() => rm(folder, { recursive: true, force: true }));

type Row = Record<string, unknown>;

function entity(row: number, id: string, rest: Row = {}): Row {
  return { row: String(row), id, type: 'film', name: null, metadata: null, media_url: null, ...rest };
}

function interaction(row: number, source: string, target: string, rest: Row = {}): Row {
  return { row: String(row), type: 'view', source_id: source, target_id: target, timestamp: null, metadata: null, ...rest };
}

/** 2024-05-31T12:30:00Z in milliseconds. */
const noon = '1717158600000';

const accepted: [what: string, content: string | Uint8Array, rows: Row[]][] = [
  ['a byte order mark', `\ufeff${entities}\na,film,Alien,,\n`, [entity(1, 'a', { name: 'Alien' })]],
  ['CR LF', `${entities}\r\na,film,,,\r\nb,film,,,\r\n`, [entity(1, 'a'), entity(2, 'b')]],
  ['CR alone', `${entities}\ra,film,,,\rb,film,,,`, [entity(1, 'a'), entity(2, 'b')]],
  ['no line end at the end', `${entities}\na,film,,,`, [entity(1, 'a')]],
  ['blank lines', `\n${entities}\n\na,film,,,\n\n\n`, [entity(1, 'a')]],
  ['semicolons', `${entities.replaceAll(',', ';')}\na;film;"Crime, Punishment";;\n`, [entity(1, 'a', { name: 'Crime, Punishment' })]],
  ['tabs', `${entities.replaceAll(',', '\t')}\na\tfilm\tHeat; Miami\t\t\n`, [entity(1, 'a', { name: 'Heat; Miami' })]],
  ['quoted newlines, quotes and separators', `${entities}\n"a,1",film,"two\nlines\r\nand ""quotes""",,\nb,film,,,\n`,
    [entity(1, 'a,1', { name: 'two\nlines\r\nand "quotes"' }), entity(2, 'b')]],
  ['control characters and quotes in bare fields', `${entities}\na,film,7" \u001e\u001f single,,\n`, [entity(1, 'a', { name: '7" \u001e\u001f single' })]],
  ['gzip', gzipSync(`${entities}\na,film,,,\n`), [entity(1, 'a')]],
  ['gzip of several members', Buffer.concat([gzipSync(`${entities}\na,film,,,\n`), gzipSync('b,film,,,\n')]), [entity(1, 'a'), entity(2, 'b')]],
  ['extra columns, columns in any order, any case', `extra,MEDIA_URL, Name ,"id",more,type,metadata\nx,http://a/b.mp4,Alien,a,y,film,\n`,
    [entity(1, 'a', { name: 'Alien', media_url: 'http://a/b.mp4' })]],
  ['entity_type and entity_name', 'id,entity_type,entity_name,metadata,media_url\na,film,Alien,,\n', [entity(1, 'a', { name: 'Alien' })]],
  ['an interaction file with a column id', `id,${interactions}\n1,view,u,a,,\n`, [interaction(1, 'u', 'a')]],
  ['duplicate ids, all kept in their order', `${entities}\na,film,first,,\na,film,second,,\n`,
    [entity(1, 'a', { name: 'first' }), entity(2, 'a', { name: 'second' })]],
  ['an interaction with itself', `${interactions}\nview,a,a,,\n`, [interaction(1, 'a', 'a')]],
  ['timestamps of five kinds, and none',
    `${interactions}\nview,u,a,2024-05-31,\nview,u,a,2024-05-31T12:30:00,\nview,u,a,2024-05-31 14:30:00.250+02:00,\nview,u,a,1717158600,\nview,u,a,1717158600000,\nview,u,a,,\n`,
    ['1717113600000', noon, '1717158600250', noon, noon, null].map((timestamp, index) => interaction(index + 1, 'u', 'a', { timestamp }))],
  ['empty metadata, an empty object, lists as values', `${interactions}\nview,u,a,,\nview,u,b,,{}\nview,u,c,,"{""tags"": [""x"", ""y""]}"\n`,
    [interaction(1, 'u', 'a'), interaction(2, 'u', 'b', { metadata: '{}' }), interaction(3, 'u', 'c', { metadata: '{"tags": ["x", "y"]}' })]],
  ['an interaction without a type', `${interactions}\n,u,a,,\n`, [interaction(1, 'u', 'a', { type: null })]],
  ['ids of other scripts', `${entities}\nфильм,映画,Ælien 👽,,\n`, [entity(1, 'фильм', { type: '映画', name: 'Ælien 👽' })]],
  ['the longest values', `${entities}\n${'i'.repeat(1024)},film,${'n'.repeat(4096)},"{""m"":""${'m'.repeat(65_536 - 8)}""}",\n`,
    [entity(1, 'i'.repeat(1024), { name: 'n'.repeat(4096), metadata: `{"m":"${'m'.repeat(65_536 - 8)}"}` })]],
];

describe('a table is stored with exactly the rows of', () => {
  it.each(accepted)('%s', async (_what, content, rows) => {
    const parquetPath = join(folder, 'parquet');
    const request = { fileName: 'table.csv', folder, parquetPath, maxBytes: 1e6, maxRows: 100 };
    const kind = 'id' in (rows[0] as Row) ? 'entity' : 'interaction';
    const result = await convertTable(request, Readable.from([Buffer.from(content)], { objectMode: false }));
    expect(result).toMatchObject({ outcome: 'converted', kind, rows: rows.length });
    expect(await readParquet(parquetPath)).toEqual(rows);
  });
});
