import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { makeFixture } from '../engine/testing/clips/makeFixture.ts';
import { summarizeKind } from '../runs/summarizeKind.ts';
import { stranger, VideoTestServer } from '../testing/videoTestServer.ts';

const version = { 'tus-resumable': '1.0.0' };
const pieceBytes = 8 * 1024 * 1024;
let at: VideoTestServer;

beforeAll(async () => { at = await VideoTestServer.start([], { video_max_bytes: 30_000_000, video_uploads_max_bytes: 60_000_000 }); });
afterAll(() => at.close());

interface Started { upload_id: string; media_url: string; code?: string }

async function call(method: string, path: string, headers: Record<string, string> = {}, body?: Uint8Array): Promise<{ status: number; headers: Headers; body: Started | null }> {
  const answer = await fetch(at.at.url + path, {
    method, headers: { apikey: 'acme:video:read,video:write', ...version, ...headers }, ...(body === undefined ? {} : { body: new Uint8Array(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : (JSON.parse(text) as Started) };
}

async function begin(length: number, headers: Record<string, string> = {}): Promise<string> {
  const { status, body } = await call('POST', '/v1/uploads', { 'upload-length': String(length), ...headers });
  expect(status).toBe(201);
  return body?.upload_id ?? '';
}

function append(id: string, offset: number, bytes: Uint8Array, headers: Record<string, string> = {}): ReturnType<typeof call> {
  return call('PATCH', `/v1/uploads/${id}`, { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream', ...headers }, bytes);
}

async function offsetOf(id: string): Promise<number> {
  return Number((await call('HEAD', `/v1/uploads/${id}`)).headers.get('upload-offset'));
}

async function storedBytes(id: string): Promise<Buffer> {
  const { rows } = await at.platform.database.query<{ blob: string }>('SELECT blob FROM video_upload_parts WHERE upload_id = $1 ORDER BY start', [id]);
  const parts: Buffer[] = [];
  for (const { blob } of rows) for await (const chunk of await at.platform.blobs.read(blob)) parts.push(chunk as Buffer);
  return Buffer.concat(parts);
}

it('the conversation of the protocol: options, creation, offset, continuation, termination', async () => {
  const options = await call('OPTIONS', '/v1/uploads', { apikey: '', 'tus-resumable': '' });
  expect([options.status, options.headers.get('tus-version'), options.headers.get('tus-max-size'), options.headers.get('tus-extension')])
    .toEqual([204, '1.0.0', '30000000', 'creation,termination,expiration']);
  const metadata = 'filename d29ybGQ=,is_confidential';
  const created = await call('POST', '/v1/uploads', { 'upload-length': '100', 'upload-metadata': metadata });
  const id = created.body?.upload_id ?? '';
  expect([created.status, created.headers.get('location'), created.body?.media_url]).toEqual([201, `http://vouch.test/v1/uploads/${id}`, `upload:${id}/world`]);
  const first = await append(id, 0, Buffer.alloc(70, 1));
  expect([first.status, first.headers.get('upload-offset'), first.headers.get('tus-resumable')]).toEqual([204, '70', '1.0.0']);
  const head = await call('HEAD', `/v1/uploads/${id}`);
  expect(['upload-offset', 'upload-length', 'upload-metadata', 'cache-control'].map((name) => head.headers.get(name))).toEqual(['70', '100', metadata, 'no-store']);
  expect(Date.parse(head.headers.get('upload-expires') ?? '')).toBeGreaterThan(at.platform.clock.now());
  expect((await append(id, 70, Buffer.alloc(30, 2))).headers.get('upload-offset')).toBe('100');
  expect(await storedBytes(id)).toEqual(Buffer.concat([Buffer.alloc(70, 1), Buffer.alloc(30, 2)]));
  expect((await call('DELETE', `/v1/uploads/${id}`)).status).toBe(204);
  expect((await call('HEAD', `/v1/uploads/${id}`)).status).toBe(404);
});

it('two requests at one offset: one is stored, the other gets 409, and the bytes are those of one', async () => {
  const id = await begin(1000);
  const sent = [Buffer.alloc(1000, 1), Buffer.alloc(1000, 2)];
  const answers = await Promise.all(sent.map((bytes) => append(id, 0, bytes)));
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  expect(await storedBytes(id)).toEqual(sent[answers.findIndex(({ status }) => status === 204)]);
});

it('a broken connection loses no acknowledged byte: the client continues behind the bytes that arrived', async () => {
  const content = randomBytes(pieceBytes + 500_000);
  const id = await begin(content.length);
  const { hostname, port } = new URL(at.at.url);
  const socket = connect(Number(port), hostname);
  socket.write(`PATCH /v1/uploads/${id} HTTP/1.1\r\nHost: x\r\napikey: acme:video:write\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n` +
    `Content-Type: application/offset+octet-stream\r\nContent-Length: ${content.length}\r\n\r\n`);
  await new Promise<void>((resolve) => { socket.write(content.subarray(0, pieceBytes + 100_000), () => resolve()); });
  await vi.waitUntil(async () => (await offsetOf(id)) >= pieceBytes, { timeout: 60_000 });
  socket.destroy();
  // The server may still store the last bytes that arrived, so an offset can be outdated at once: 409, and the client asks again.
  await vi.waitUntil(async () => {
    const offset = await offsetOf(id);
    return (await append(id, offset, content.subarray(offset))).status === 204;
  }, { timeout: 60_000 });
  expect((await storedBytes(id)).equals(content)).toBe(true);
});

it('an empty part changes nothing', async () => {
  const id = await begin(10);
  await append(id, 0, Buffer.alloc(4));
  const { status, headers } = await append(id, 4, Buffer.alloc(0));
  expect([status, headers.get('upload-offset'), (await storedBytes(id)).length]).toEqual([204, '4', 4]);
});

it('slow senders of one organization leave places to the others', async () => {
  const slow = { apikey: 'slow:video:write' };
  const { hostname, port } = new URL(at.at.url);
  const probe = await begin(10, slow);
  const sockets = await Promise.all(Array.from({ length: 4 }, async () => {
    const id = await begin(10, slow);
    const socket = connect(Number(port), hostname);
    socket.write(`PATCH /v1/uploads/${id} HTTP/1.1\r\nHost: x\r\napikey: ${slow.apikey}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n` +
      'Content-Type: application/offset+octet-stream\r\nContent-Length: 10\r\n\r\n1');
    return socket;
  }));
  await vi.waitUntil(async () => (await append(probe, 0, Buffer.alloc(0), slow)).body?.code === 'overloaded', { timeout: 20_000 });
  expect((await append(await begin(10), 0, Buffer.alloc(10))).status).toBe(204);
  for (const socket of sockets) socket.destroy();
  await vi.waitUntil(async () => (await append(probe, 0, Buffer.alloc(0), slow)).status === 204, { timeout: 20_000 });
});

describe('a refused request', () => {
  it.each<[string, () => Promise<{ status: number; body: Started | null }>, number, string]>([
    ['no version', () => call('POST', '/v1/uploads', { 'upload-length': '1', 'tus-resumable': '' }), 412, 'tus-version'],
    ['no length', () => call('POST', '/v1/uploads'), 400, 'malformed-request'],
    ['a negative length', () => call('POST', '/v1/uploads', { 'upload-length': '-1' }), 400, 'malformed-request'],
    ['a length above the limit', () => call('POST', '/v1/uploads', { 'upload-length': '30000001' }), 413, 'too-large'],
    ['metadata that is not Base64', () => call('POST', '/v1/uploads', { 'upload-length': '1', 'upload-metadata': 'name ???' }), 400, 'malformed-request'],
    ['a body at creation', () => call('POST', '/v1/uploads', { 'upload-length': '1', 'content-type': 'application/offset+octet-stream' }, Buffer.alloc(1)), 400, 'malformed-request'],
    ['an offset ahead', async () => append(await begin(10), 5, Buffer.alloc(5)), 409, 'upload-offset'],
    ['no offset', async () => append(await begin(10), 0, Buffer.alloc(5), { 'upload-offset': '' }), 400, 'malformed-request'],
    ['more bytes than the length', async () => append(await begin(10), 0, Buffer.alloc(11)), 413, 'too-large'],
    ['another content type', async () => append(await begin(10), 0, Buffer.from('{}'), { 'content-type': 'application/json' }), 415, 'unsupported-media-type'],
    ['an unknown id', () => append(randomUUID(), 0, Buffer.alloc(1)), 404, 'unknown-upload'],
    ['an id that is none', () => append('x', 0, Buffer.alloc(1)), 404, 'unknown-upload'],
    ['an upload of another organization', async () => append(await begin(10), 0, Buffer.alloc(1), { apikey: stranger }), 404, 'unknown-upload'],
    ['a key without the scope', () => call('POST', '/v1/uploads', { 'upload-length': '1', apikey: 'acme:video:read' }), 403, 'missing-scope'],
  ])('%s', async (_name, send, status, code) => {
    const answer = await send();
    expect([answer.status, answer.body?.code]).toEqual([status, code]);
  });

  it('of another organization deletes and reads nothing', async () => {
    const id = await begin(10);
    for (const method of ['DELETE', 'HEAD']) expect((await call(method, `/v1/uploads/${id}`, { apikey: stranger })).status).toBe(404);
    expect(await offsetOf(id)).toBe(0);
  });
});

it('an expired upload is unknown, its blobs are not referenced, and its row is removed by the next upload', async () => {
  const id = await begin(10);
  await append(id, 0, Buffer.alloc(10, 7));
  const references = async (): Promise<number> => {
    const { uploadBlobReferences } = await import('./uploadStore.ts');
    return (await at.platform.database.query(uploadBlobReferences)).rows.length;
  };
  const before = await references();
  await at.platform.database.query(`UPDATE video_uploads SET expires_at = now() - interval '1 second' WHERE upload_id = $1`, [id]);
  expect(await references()).toBe(before - 1);
  expect((await call('HEAD', `/v1/uploads/${id}`)).status).toBe(404);
  expect((await at.create<Started>({ media_url: `upload:${id}` })).body.code).toBe('unknown-upload');
  await begin(1);
  expect((await at.platform.database.query('SELECT FROM video_uploads WHERE upload_id = $1', [id])).rows.length).toBe(0);
});

it('an organization has at most 50 unfinished uploads', async () => {
  const apikey = 'many:video:write';
  const answers = await Promise.all(Array.from({ length: 55 }, () => call('POST', '/v1/uploads', { 'upload-length': '1', apikey })));
  expect(answers.filter(({ status }) => status === 201).length).toBe(50);
  expect(answers.find(({ status }) => status !== 201)?.body?.code).toBe('too-many-uploads');
});

it('the uploads of an organization, finished or not, have at most the bytes of the setting, until one is deleted', async () => {
  const apikey = 'hoard:video:write';
  const create = (length: number): ReturnType<typeof call> => call('POST', '/v1/uploads', { 'upload-length': String(length), apikey });
  const small = (await create(10)).body?.upload_id ?? '';
  expect((await append(small, 0, Buffer.alloc(10), { apikey })).status).toBe(204);
  const large = (await create(29_999_990)).body?.upload_id ?? '';
  const answers = await Promise.all([create(30_000_000), create(30_000_000)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 413]);
  const refused = answers.find(({ status }) => status === 413)?.body as { code?: string; detail?: string } | undefined;
  expect([refused?.code, refused?.detail]).toEqual(['uploads-full', expect.stringMatching(
    /^Upload-Length is 30000000 bytes, and the 3 uploads of the organization have 60000000 bytes; the limit of both is 60000000\. The next upload expires at .*Z\. Delete uploads/) as string]);
  expect((await begin(30_000_000)).length).toBe(36);
  expect((await call('DELETE', `/v1/uploads/${large}`, { apikey })).status).toBe(204);
  expect((await create(29_999_990)).status).toBe(201);
});

it('a repeated creation with one Idempotency-Key starts one upload', async () => {
  const headers = { 'upload-length': '5', 'idempotency-key': randomUUID() };
  const [first, second] = [await call('POST', '/v1/uploads', headers), await call('POST', '/v1/uploads', headers)];
  expect([second.body, second.headers.get('location')]).toEqual([first.body, first.headers.get('location')]);
});

describe('a run', () => {
  it('of an unfinished, unknown or foreign upload is refused', async () => {
    const id = await begin(10);
    expect((await at.create<Started>({ media_url: `upload:${id}` })).body.code).toBe('upload-unfinished');
    await append(id, 0, Buffer.alloc(10));
    for (const [mediaUrl, key] of [[`upload:${randomUUID()}`], ['upload:../x'], ['upload:'], [`upload:${id}`, stranger]]) {
      const { status, body } = await at.create<Started>({ media_url: mediaUrl }, key === undefined ? {} : { apikey: key });
      expect([status, body.code]).toEqual([404, 'unknown-upload']);
    }
  });

  exhaustiveTest('of an upload summarizes its bytes, and a second run reuses them by cache_id', async () => {
    await at.work();
    const film = await readFile(await makeFixture({ seconds: 6, cuts: [2, 4] }));
    const id = await begin(film.length);
    await append(id, 0, film.subarray(0, 1000));
    await append(id, 1000, film.subarray(1000));
    const stored = async (): Promise<{ blob: string; bytes: string }[]> =>
      (await at.platform.database.query<{ blob: string; bytes: string }>('SELECT blob, bytes FROM video_upload_parts WHERE upload_id = $1', [id])).rows;
    const mediaOf = async (runId: string): Promise<string | undefined> =>
      (await at.platform.database.query<{ blob: string }>('SELECT media_blob AS blob FROM video_runs WHERE run_id = $1', [runId])).rows[0]?.blob;
    const options = { duration: 2, width: 96, height: 54, min_segment_duration: 0.5, outputs: ['mp4'] };
    const made = await at.run({ media_url: `upload:${id}`, options });
    expect([made.error, made.status, made.media_url, made.source?.bytes]).toEqual([null, 'completed', `upload:${id}`, film.length]);
    // The run joined both parts into the blob that the run keeps, so that the upload takes no second space.
    expect(await stored()).toEqual([{ blob: await mediaOf(made.run_id), bytes: String(film.length) }]);
    expect((await storedBytes(id)).equals(film)).toBe(true);
    const other = await at.run({ media_url: `upload:${id}`, options });
    expect([other.status, other.segments, await mediaOf(other.run_id)]).toEqual(['completed', made.segments, (await stored())[0]?.blob]);
    const again = await at.run({ media_url: `upload:${id}`, options: { ...options, duration: 3 }, cache_id: made.run_id });
    expect([again.status, again.cache.hit]).toEqual(['completed', true]);
    // The setting video_cache_hours of the test server is one hour; a waiting run would keep the upload for a week.
    const { rows } = await at.platform.database.query<{ left: boolean }>(
      `SELECT expires_at <= now() + interval '1 hour' AS left FROM video_uploads WHERE upload_id = $1`, [id]);
    expect(rows).toEqual([{ left: true }]);
  });

  it('keeps its upload, whatever the form of media_url, while another run of it ends', async () => {
    await at.rest();
    const { releaseUpload } = await import('./uploadStore.ts');
    const id = await begin(4);
    await append(id, 0, Buffer.from('film'));
    const start = async (mediaUrl: string): Promise<string> => (await at.create<{ run_id: string }>({ media_url: mediaUrl })).body.run_id;
    const end = async (runId: string): Promise<number> => {
      await at.platform.database.transaction(async (transaction) => {
        await transaction.query(`UPDATE jobs SET status = 'cancelled', completed_at = now() WHERE id = $1`, [runId]);
        await releaseUpload(transaction, 'acme', { uploadId: id, runId, hours: 0 });
      });
      return (await call('HEAD', `/v1/uploads/${id}`)).status;
    };
    const [first, second] = [await start(`upload:${id}`), await start(`upload:${id}/Alpine%20Trip.mp4`)];
    expect([await end(first), await end(second)]).toEqual([200, 404]);
  });

  it('keeps its upload although another run of it ends while it is being created', async () => {
    await at.rest();
    const { keepForRun, releaseUpload } = await import('./uploadStore.ts');
    const { insertRun } = await import('../runs/runStore.ts');
    const id = await begin(4);
    await append(id, 0, Buffer.from('film'));
    const { database, jobs } = at.platform;
    const ended = (await at.create<{ run_id: string }>({ media_url: `upload:${id}` })).body.run_id;
    let releasing: Promise<void> = Promise.resolve();
    await database.transaction(async (transaction) => {
      await keepForRun(transaction, 'acme', id);
      releasing = database.transaction(async (other) => {
        await other.query(`UPDATE jobs SET status = 'cancelled', completed_at = now() WHERE id = $1`, [ended]);
        await releaseUpload(other, 'acme', { uploadId: id, runId: ended, hours: 0 });
      });
      // The release waits for the row of the upload, which this transaction has changed.
      await vi.waitUntil(async () => (await database.query(`SELECT FROM pg_locks WHERE NOT granted`)).rows.length > 0, { timeout: 20_000 });
      const job = await jobs.enqueue(transaction, { organizationId: 'acme', kind: summarizeKind, subject: `upload:${id}`, input: null, traceparent: null });
      await insertRun(transaction, 'acme', { runId: job.id, mediaUrl: `upload:${id}`, options: {}, cacheId: null, hook: null });
    });
    await releasing;
    expect((await call('HEAD', `/v1/uploads/${id}`)).status).toBe(200);
  });

  it.each([['no bytes', Buffer.alloc(0)], ['a playlist', Buffer.from('#EXTM3U\nfile:///etc/passwd\n')], ['text', Buffer.from('hello')]])(
    'of an upload with %s ends with an error that does not name a path', async (_name, bytes) => {
      await at.work();
      const id = await begin(bytes.length);
      if (bytes.length > 0) await append(id, 0, bytes);
      const { status, error } = await at.run({ media_url: `upload:${id}` });
      expect(status).toBe('error');
      expect(error?.detail).toContain('The uploaded file');
      expect(error?.detail).not.toContain(at.folder);
    });
});
