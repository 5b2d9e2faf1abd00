import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleOf } from '@vouch/platform/testing/exhaustive';
import type { Fault } from '@vouch/platform/errors/problem';
import { createLogger } from '@vouch/platform/log/logger';
import { BatchTestServer, key, type Part } from '../testing/batchTestServer.ts';

let at: BatchTestServer;
/** Log lines of the servers' internal errors. */
const mistakes: string[] = [];
const log = createLogger('error', { write: (line) => void mistakes.push(line) });
beforeAll(async () => {
  at = await BatchTestServer.start({ upload_max_bytes: 8_000_000, upload_max_rows: 100_000 }, { log });
  // One batch is stored beforehand, so that the unchanged counts are not zero.
  expect((await at.upload([['files', `${entities}\nkept,film,,,\n`, 'kept.csv']])).status).toBe(201);
});
afterAll(async () => { await at.close(); });

const entities = 'id,type,name,metadata,media_url';
const interactions = 'type,source_id,target_id,timestamp,metadata';
const good: Part = ['files', `${entities}\na,film,,,\n`, 'good.csv'];

interface ProblemAnswer {
  status: number;
  code: string;
  detail: string;
  errors?: Fault[];
}

async function refused(answer: Response): Promise<ProblemAnswer> {
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  return await answer.json() as ProblemAnswer;
}

const file = (content: string | Uint8Array): Part[] => [['files', content, 'bad.csv']];
const bad = (fault: Partial<Fault>) => ({ location: 'file:bad.csv', ...fault });

const boundary = 'b0undary';
const half = `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="a.csv"\r\n\r\n${entities}\n${'a,film,,,\n'.repeat(1000)}`;

/** Sends the beginning of an upload whose announced length is larger, then stops sending. */
function beginUpload(server: BatchTestServer, body: string): Socket {
  const socket = connect(server.at.port, '127.0.0.1', () => {
    socket.write(
      `POST /v1/recommender/data_batch HTTP/1.1\r\nhost: x\r\napikey: ${key}\r\ncontent-length: 5000000\r\n` +
      `content-type: multipart/form-data; boundary=${boundary}\r\n\r\n${body}`,
    );
  });
  // The server closes the connection while the sender can still be writing, so a reset is expected.
  socket.on('error', () => {});
  return socket;
}

// scan/tableScanner.test.ts tests every fault of a table with its location; these cases test that a rejected upload stores
// nothing.
const cases: [what: string, parts: Part[], status: number, code: string, fault: Partial<Fault> | null][] = [
  ['a short row', file(`${entities}\na,film,,,\nb,film\n`), 422, 'invalid-csv', bad({ row: 2, line: 3, value: 'b,film' })],
  ['an unbalanced quote late in a large file', file(`${interactions}\n${'view,u,a,,\n'.repeat(60_000)}view,u,"a,,\n${'view,u,a,,\n'.repeat(30_000)}`),
    422, 'invalid-csv', bad({ row: 60_001, line: 60_002, column: 'target_id' })],
  ['two files of which the second is bad', [good, ...file(`${entities}\n,film,,,\n`)], 422, 'invalid-csv', bad({ row: 1, line: 2, column: 'id' })],
  ['two files of which the first is bad', [...file(`${entities}\n,film,,,\n`), good], 422, 'invalid-csv', bad({ row: 1, line: 2, column: 'id' })],
  ['gzip that is cut off', file(gzipSync(`${entities}\na,film,,,\n`).subarray(0, 40)), 422, 'invalid-csv', bad({})],
  ['gzip that holds more than is allowed', file(gzipSync(Buffer.concat([Buffer.from(`${entities}\n`), Buffer.alloc(9_000_000, 'a,film,,,\n')]))),
    413, 'too-large', bad({})],
  ['a file over the limit', file(Buffer.concat([Buffer.from(`${entities}\n`), Buffer.alloc(8_000_000, 'a,film,,,\n')])), 413, 'too-large', bad({})],
  ['no files', [['tags', 'a']], 422, 'no-files', null],
  ['an unknown field', [good, ['tag', 'a']], 422, 'unknown-parameter', { location: '/tag' }],
  ['a file in an unknown field', [['file', good[1], 'x.csv']], 422, 'unknown-parameter', { location: '/file' }],
  ['a tag that is too long', [['tags', 'x'.repeat(65)], good], 422, 'invalid-parameter', { location: '/tags' }],
  ['tags as a file', [good, ['tags', 'a', 'tags.txt']], 422, 'invalid-parameter', { location: '/tags' }],
  ['too many fields', [...Array.from({ length: 101 }, (): Part => ['tags', 'a']), good], 413, 'too-large', null],
  ['too many tags', [['tags', Array.from({ length: 33 }, (_, index) => index).join(',')], good], 422, 'invalid-parameter', { location: '/tags' }],
];

describe('an upload is refused, and nothing of it stored, for', () => {
  it.each(cases)('%s', async (_what, parts, status, code, fault) => {
    const before = await at.stored();
    const problem = await refused(await at.upload(parts));
    expect(problem).toMatchObject({ status, code });
    if (fault !== null) expect(problem.errors).toEqual([expect.objectContaining(fault)]);
    expect(await at.stored()).toEqual({ ...before, scratch: [] });
  });

  it('rows over the limit', async () => {
    const before = await at.stored();
    const problem = await refused(await at.upload(file(`${interactions}\n${',u,a,,\n'.repeat(100_001)}`)));
    expect(problem).toMatchObject({ status: 413, code: 'too-large', detail: expect.stringContaining('100000 rows') });
    expect(await at.stored()).toEqual(before);
  });

  it('a value, which the detail names with its place', async () => {
    const { detail } = await refused(await at.upload([['files', `${interactions}\nview,u,a,soon,\n`, 'one.csv']]));
    expect(detail).toMatch(/^one\.csv, row 1, line 2, value `soon`: timestamp is not a time: use ISO 8601/);
  });

  it('the faults of all files together', async () => {
    const problem = await refused(await at.upload([['files', `${entities}\n,film,,,\n`, 'one.csv'], good, ['files', 'x\n', 'two.csv']]));
    expect(problem.errors?.map((fault) => [fault.location, fault.row])).toEqual([['file:one.csv', 1], ['file:two.csv', undefined]]);
  });

  it.each<[string, Record<string, string>, number]>([
    ['JSON', { 'content-type': 'application/json' }, 415],
    ['CSV without a form', { 'content-type': 'text/csv' }, 415],
    ['a compressed form', { 'content-type': 'multipart/form-data; boundary=x', 'content-encoding': 'gzip' }, 415],
    ['a form without a boundary', { 'content-type': 'multipart/form-data' }, 400],
    ['a form that is none', { 'content-type': 'multipart/form-data; boundary=x' }, 400],
  ])('%s as the body', async (_what, headers, status) => {
    const answer = await fetch(`${at.at.url}/v1/recommender/data_batch`, { method: 'POST', body: 'id,type\n', headers: { apikey: key, ...headers } });
    const problem = await refused(answer);
    expect(problem).toMatchObject({ status, code: status === 415 ? 'unsupported-media-type' : 'malformed-request' });
    if (status === 415) expect(problem.detail).toContain('form');
    if ('application/json' === headers['content-type']) {
      expect(problem.detail).toContain('curl -H "apikey: $KEY" -F files=@movies.csv -F tags=movies http://vouch.test/v1/recommender/data_batch');
    }
  });

  it.each(['{"id":"a","type":"film"}', '[{"id":"a"}]'])('a file of JSON, with the columns that CSV needs', async (content) => {
    const problem = await refused(await at.upload([['files', content, 'films.json']]));
    expect(problem.errors?.[0]?.detail).toMatch(/^the file is not CSV but JSON; write it as CSV with the columns id,type/);
  });

  it('tags as a file, and tags that are JSON by their content type alone, with a sentence that says so', async () => {
    const asFile = await refused(await at.upload([good, ['tags', 'a', 'tags.txt']]));
    expect(asFile.detail).toContain('tags was sent as a file');
    const part = `--${boundary}\r\ncontent-disposition: form-data; name="tags"\r\ncontent-type: application/json\r\n\r\nfilms\r\n--${boundary}--\r\n`;
    const answer = await fetch(`${at.at.url}/v1/recommender/data_batch`, {
      method: 'POST', body: part, headers: { apikey: key, 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
    const asJson = await refused(answer);
    expect(asJson).toMatchObject({ status: 422, code: 'invalid-parameter', errors: [{ location: '/tags' }] });
    expect(asJson.detail).toContain('is not JSON');
  });

  it('a key without the scope', async () => {
    expect(await refused(await at.upload([good], {}, 'acme:data:read'))).toMatchObject({ status: 403, code: 'missing-scope' });
    expect(await refused(await at.upload([good], {}, 'nobody'))).toMatchObject({ status: 401, code: 'unknown-key' });
  });

  it('a sender that disconnects half-way', async () => {
    const before = await at.stored();
    const socket = beginUpload(at, half);
    await expect.poll(async () => (await at.stored()).scratch.length, { timeout: 120_000 }).toBe(1);
    socket.destroy();
    await expect.poll(() => at.stored(), { timeout: 120_000 }).toEqual(before);
    expect(mistakes).toEqual([]);
  });

  it.each(sampleOf([['in a file', half], ['before its first part', '']], 1))('a sender that falls silent %s, whose place the next one gets', async (_where, sent) => {
    const narrow = await BatchTestServer.start({ upload_concurrency: 1 }, { limits: { bodyIdleTimeoutMs: 1_000 }, log });
    try {
      const socket = beginUpload(narrow, sent);
      const [answer] = await once(socket, 'data') as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 /);
      expect((await narrow.upload([good])).status).toBe(201);
      await expect.poll(async () => (await narrow.stored()).scratch, { timeout: 120_000 }).toEqual([]);
      expect(mistakes).toEqual([]);
    } finally {
      await narrow.close();
    }
  });
});
