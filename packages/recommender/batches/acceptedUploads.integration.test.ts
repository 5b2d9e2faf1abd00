import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchRecord } from './batch.schema.ts';
import { BatchTestServer, type Part } from './batchTestServer.ts';

let at: BatchTestServer;
beforeAll(async () => { at = await BatchTestServer.start(); });
afterAll(async () => { await at.close(); });

const entities = 'id,type,name,metadata,media_url';
const interactions = 'type,source_id,target_id,timestamp,metadata';

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

describe('an upload stores exactly the rows of', () => {
  it.each(accepted)('%s', async (_what, content, rows) => {
    const answer = await at.upload([['files', content, 'table.csv']]);
    const records = await answer.json() as BatchRecord[];
    expect({ status: answer.status, records }).toMatchObject({ status: 201, records: [{ tags: [] }] });
    const [record] = records as [BatchRecord];
    const isEntity = 'id' in (rows[0] as Row);
    expect([record.entity_count, record.interaction_count]).toEqual(isEntity ? [rows.length, 0] : [0, rows.length]);
    expect(await at.readBack(record.batch_id)).toEqual(rows);
    // The folder of an upload is removed behind its answer.
    await expect.poll(async () => (await at.stored()).scratch, { timeout: 120_000 }).toEqual([]);
  });
});

describe('an upload form', () => {
  const file: Part = ['files', `${entities}\na,film,,,\n`, 'a.csv'];

  it('gives one record per file, in their order, all with the tags, which may come after the files', async () => {
    const answer = await at.upload([
      file, ['files', `${interactions}\nview,u,a,,\nview,u,b,,\n`, 'b.csv'], ['tags', 'winter, sale'], ['tags[]', '["films","sale"]'],
    ]);
    expect(answer.status).toBe(201);
    const records = await answer.json() as BatchRecord[];
    expect(records.map((record) => [record.entity_count, record.interaction_count])).toEqual([[1, 0], [0, 2]]);
    for (const record of records) {
      expect(record.tags).toEqual(['winter', 'sale', 'films']);
      expect(new Date(record.timestamp).toISOString()).toBe(record.timestamp);
    }
    const listed = await (await at.request('GET', '?tags=films&tags=winter')).json();
    expect(listed).toEqual(records.toReversed());
  });

  it('takes tags before files, and a file without a name', async () => {
    const boundary = 'b0undary';
    const body = [
      `--${boundary}`, 'content-disposition: form-data; name="tags"', '', 'early',
      `--${boundary}`, 'content-disposition: form-data; name="files"', '', `${entities}\na,film,,,`,
      `--${boundary}--`, '',
    ].join('\r\n');
    const answer = await fetch(`${at.at.url}/v1/recommender/data_batch`, {
      method: 'POST', body, headers: { apikey: 'acme:data:write', 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject([{ tags: ['early'], entity_count: 1 }]);
  });

  it('with the same content twice makes two batches of one blob', async () => {
    const before = await at.stored();
    const twice: Part = ['files', `${entities}\ntwice,film,,,\n`, 'a.csv'];
    await at.upload([twice]);
    await at.upload([twice]);
    const after = await at.stored();
    expect([after.rows - before.rows, after.blobs - before.blobs]).toEqual([2, 1]);
  });

  it('with an idempotency key is stored once, and refused where the bytes differ', async () => {
    const headers = { 'idempotency-key': 'upload-1' };
    const first = await at.upload([file], headers);
    const before = await at.stored();
    const second = await at.upload([file], headers);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await second.json()).toEqual(await first.json());
    const other = await at.upload([['files', `${entities}\nb,film,,,\n`, 'a.csv']], headers);
    expect([other.status, (await other.json() as { code: string }).code]).toEqual([409, 'idempotency-conflict']);
    expect((await at.stored()).rows).toBe(before.rows);
  });

  it('of several senders at once is read in turns, and all are stored', async () => {
    const before = await at.stored();
    const answers = await Promise.all(Array.from({ length: 5 }, (_, index) =>
      at.upload([['files', `${entities}\nturn${index},film,,,\n`, 'a.csv']])));
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201, 201]);
    expect((await at.stored()).rows - before.rows).toBe(5);
  });
});

it('is described as a form with files and tags, so that the try-it page and generated clients can send one', async () => {
  const description = await at.describe() as {
    paths: Record<string, Record<string, { requestBody?: { required?: boolean; content: Record<string, { schema: unknown }> } }>>;
  };
  const body = description.paths['/v1/recommender/data_batch']?.['post']?.requestBody;
  expect(Object.keys(body?.content ?? {})).toEqual(['multipart/form-data']);
  expect(body?.content['multipart/form-data']?.schema).toMatchObject({
    required: ['files'],
    properties: {
      files: { type: 'array', items: { type: 'string', format: 'binary' } },
      tags: { anyOf: [{ type: 'string' }, { type: 'array', maxItems: 32 }], default: [] },
    },
  });
});
