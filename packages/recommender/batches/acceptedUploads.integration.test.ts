import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchRecord } from './batch.schema.ts';
import { BatchTestServer, type Part } from '../testing/batchTestServer.ts';

let at: BatchTestServer;
beforeAll(async () => { at = await BatchTestServer.start(); });
afterAll(async () => { await at.close(); });

const entities = 'id,type,name,metadata,media_url';
const interactions = 'type,source_id,target_id,timestamp,metadata';

type Row = Record<string, unknown>;

// parquet/convertTable.integration.test.ts tests every accepted form of a table; these two cases test the whole path to
// storage.
const accepted: [what: string, content: string | Uint8Array, counts: [number, number], rows: Row[]][] = [
  ['a table of entities', gzipSync(`${entities}\r\n"a,1",film,"two\nlines and ""quotes""",,\r\nb,film,,"{""m"":""${'m'.repeat(65_536 - 8)}""}",\r\n`), [2, 0], [
    { row: '1', id: 'a,1', type: 'film', name: 'two\nlines and "quotes"', metadata: null, media_url: null },
    { row: '2', id: 'b', type: 'film', name: null, metadata: `{"m":"${'m'.repeat(65_536 - 8)}"}`, media_url: null },
  ]],
  ['a table of interactions', `\ufeffid,${interactions}\n1,view,u,a,2024-05-31T12:30:00,\n2,,u,a,,{}\n`, [0, 2], [
    { row: '1', type: 'view', source_id: 'u', target_id: 'a', timestamp: '1717158600000', metadata: null },
    { row: '2', type: null, source_id: 'u', target_id: 'a', timestamp: null, metadata: '{}' },
  ]],
];

describe('an upload stores exactly the rows of', () => {
  it.each(accepted)('%s', async (_what, content, counts, rows) => {
    const answer = await at.upload([['files', content, 'table.csv']]);
    const records = await answer.json() as BatchRecord[];
    expect({ status: answer.status, records }).toMatchObject({ status: 201, records: [{ tags: [] }] });
    const [record] = records as [BatchRecord];
    expect([record.entity_count, record.interaction_count]).toEqual(counts);
    expect(await at.readBack(record.batch_id)).toEqual(rows);
    // The server removes the folder of an upload after the answer.
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
    const answers = await Promise.all(Array.from({ length: 3 }, (_, index) =>
      at.upload([['files', `${entities}\nturn${index},film,,,\n`, 'a.csv']])));
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201]);
    expect((await at.stored()).rows - before.rows).toBe(3);
  });
});

it('is described as a form with files and tags, so that the try-it page and generated clients can send one', async () => {
  const description = await at.describe() as {
    paths: Record<string, Record<string, { requestBody?: { required?: boolean; content: Record<string, { schema: unknown }> } }>>;
  };
  const body = description.paths['/v1/recommender/data_batch']?.['post']?.requestBody;
  expect(Object.keys(body?.content ?? {})).toEqual(['multipart/form-data']);
  // The server counts different tags, so a longer list of repeated and empty ones is valid.
  expect(body?.content['multipart/form-data']?.schema).toMatchObject({
    required: ['files'],
    properties: {
      files: { type: 'array', items: { type: 'string', format: 'binary' }, maxItems: 32 },
      tags: { anyOf: [{ type: 'string' }, expect.not.objectContaining({ maxItems: 32 })], default: [] },
    },
  });
});
