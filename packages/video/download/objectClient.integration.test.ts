import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '@vouch/platform/errors/problem';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { makeBucket, testS3Endpoint, testS3Options } from '@vouch/platform/testing/testStores';
import { S3Store } from '@vouch/platform/blobs/s3Store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VideoSettings } from '../config/videoSettings.ts';
import { downloadVideo } from './downloadVideo.ts';
import { ObjectClient } from './objectClient.ts';

const film = Buffer.from(Array.from({ length: 3000 }, (_, at) => at % 251));
const other = Buffer.from('another version');
const system = { ...systemInterfaces, timers: { ...systemInterfaces.timers, sleep: async () => {} } };

/** What the store does at a path; the requests to it are counted. */
type Behaviour = (request: IncomingMessage, response: ServerResponse, tries: number) => void;

let server: Server;
let endpoint: string;
let folder: string;
const objects = new Map<string, Behaviour>();
const asked: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'objects-'));
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://store').pathname;
    asked.push(`${request.method} ${path} ${request.headers.range ?? ''}`.trim());
    const behave = objects.get(path);
    if (behave !== undefined) return behave(request, response, asked.filter((each) => each.includes(path)).length);
    response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

/** Answers as S3 does: a range of the version that If-Match names, 412 for another version. */
function answer(content: Buffer, tag: string, request: IncomingMessage, response: ServerResponse, sent = content.length): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (request.headers['if-match'] !== undefined && request.headers['if-match'] !== tag) return void response.writeHead(412).end('<Error><Code>PreconditionFailed</Code></Error>');
  const part = content.subarray(from);
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': part.length, etag: tag, ...(from > 0 ? { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` } : {}) });
  if (request.method === 'HEAD' || sent >= part.length) return void response.end(request.method === 'HEAD' ? undefined : part);
  response.write(part.subarray(0, sent), () => setTimeout(() => response.destroy(), 20));
}

function clientOf(sources: readonly string[], changes: Partial<VideoSettings> = {}): ObjectClient {
  const settings = { video_s3_sources: [...sources], video_s3_endpoint: endpoint, video_s3_region: 'us-east-1', video_s3_access_key_id: 'id', video_s3_secret_access_key: 'secret-of-the-store', ...changes };
  return new ObjectClient(settings as unknown as VideoSettings, systemInterfaces.clock);
}

async function fetchFrom(client: ObjectClient, url: string, maxBytes = 1_000_000): Promise<{ content: Buffer; etag: string | null; warnings: readonly { detail: string }[] }> {
  const { path, ...rest } = await downloadVideo(client, system, { url, folder, maxBytes, maxSeconds: 60, signal: new AbortController().signal, join: () => Promise.reject(new Error('nothing to join')) });
  const content = await readFile(path);
  await rm(path);
  return { content, ...rest };
}

async function refusal(work: Promise<unknown>): Promise<{ code: string; detail: string }> {
  const error: unknown = await work.catch((failure: unknown) => failure);
  if (!(error instanceof Problem)) throw new Error(`no problem: ${String(error)}`);
  expect(error.detail).not.toContain('secret-of-the-store');
  expect(await readdir(folder)).toEqual([]);
  return { code: error.code, detail: error.detail };
}

describe('an object of a listed bucket', () => {
  it('is downloaded by its key, and signed with the credentials of the settings', async () => {
    objects.set('/films/a/alpine%20trip%3F.mp4', (request, response) => {
      expect(request.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=id\//);
      answer(film, '"one"', request, response);
    });
    const { content, etag } = await fetchFrom(clientOf(['films/a']), 's3://films/a/alpine%20trip%3F.mp4');
    expect([content.equals(film), etag]).toEqual([true, '"one"']);
  });

  it('goes on where the connection broke, and begins again if the object has changed', async () => {
    objects.set('/films/broken.mp4', (request, response, tries) => answer(film, '"one"', request, response, tries === 1 ? 1000 : undefined));
    const { content, warnings } = await fetchFrom(clientOf(['films']), 's3://films/broken.mp4');
    expect([content.equals(film), warnings.length]).toEqual([true, 1]);
    expect(asked.filter((each) => each.includes('broken'))).toEqual(['GET /films/broken.mp4', 'GET /films/broken.mp4 bytes=1000-']);
    objects.set('/films/changed.mp4', (request, response, tries) => (tries === 1 ? answer(film, '"one"', request, response, 1000) : answer(other, '"two"', request, response)));
    expect((await fetchFrom(clientOf(['films']), 's3://films/changed.mp4')).content).toEqual(other);
  });

  it('has the limit of size of other downloads, and tells its version without a download', async () => {
    objects.set('/films/large.mp4', (request, response) => answer(film, '"one"', request, response));
    expect(await refusal(fetchFrom(clientOf(['films']), 's3://films/large.mp4', 2999))).toMatchObject({ code: 'media-too-large' });
    const { status, headers } = await clientOf(['films']).request({ url: 's3://films/large.mp4', method: 'HEAD', headersTimeoutMs: 1000, bodyTimeoutMs: 1000, maxRedirects: 0 });
    expect([status, headers]).toEqual([200, { 'content-length': '3000', etag: '"one"' }]);
  });

  it('may be a playlist of objects in listed buckets, and of nothing else', async () => {
    const list = (address: string): Behaviour => (request, response) => answer(Buffer.from(`#EXTM3U\n#EXTINF:4,\n${address}\n#EXT-X-ENDLIST\n`), '"list"', request, response);
    objects.set('/films/list.m3u8', list('large.mp4'));
    expect((await fetchFrom(clientOf(['films']), 's3://films/list.m3u8')).content.equals(film)).toBe(true);
    for (const address of [`${endpoint}/films/large.mp4`, 'https://example.org/a.ts', 's3://hidden/large.mp4', 'file:///etc/passwd']) {
      objects.set('/films/list.m3u8', list(address));
      expect(await refusal(fetchFrom(clientOf(['films']), 's3://films/list.m3u8'))).toMatchObject({ code: 'address-refused', detail: expect.stringContaining('(line 3)') as string });
    }
  });
});

describe('is refused with a reason', () => {
  it.each([
    ['no bucket is listed', [], 's3://films/a.mp4', 'VOUCH_VIDEO_S3_SOURCES lists no bucket'],
    ['its bucket is not listed', ['archive'], 's3://films/a.mp4', 'The bucket films, or this part'],
    ['its key is outside of the listed part', ['films/public'], 's3://films/publicity/a.mp4', 'is not in VOUCH_VIDEO_S3_SOURCES'],
    ['its path leads out of the listed part', ['films/public'], 's3://films/public/../secret.mp4', 'is not in VOUCH_VIDEO_S3_SOURCES'],
    ['its key leads out of the listed part', ['films/public'], 's3://films/public/..%2Fsecret.mp4', '"." or ".."'],
    ['it names no bucket', ['films'], 's3://films:9000/a.mp4', 'names no bucket'],
    ['it has a query', ['films'], 's3://films/a.mp4?x=1', 'query or a fragment'],
    ['it has a password', ['films'], 's3://id:word@films/a.mp4', 'user name or password'],
    ['it names no object', ['films'], 's3://films/', 'names no object'],
    ['its key has control characters', ['films'], 's3://films/a%00.mp4', 'names no object'],
    ['its key is not UTF-8', ['films'], 's3://films/%ff.mp4', 'not valid UTF-8'],
  ])('if %s', async (_name, sources, url, sentence) => {
    const before = asked.length;
    expect(await refusal(fetchFrom(clientOf(sources), url))).toEqual({ code: 'address-refused', detail: expect.stringContaining(sentence) as string });
    expect(asked.length).toBe(before);
  });

  it.each([
    ['does not exist', 404, 'NoSuchKey', 'media-not-found', 'no such object in the bucket films (NoSuchKey)'],
    ['may not be read', 403, 'AccessDenied', 'media-forbidden', 'VOUCH_VIDEO_S3_ACCESS_KEY_ID'],
    ['is in another region', 301, 'PermanentRedirect', 'media-refused', 'VOUCH_VIDEO_S3_REGION'],
  ])('if it %s', async (_name, status, reason, code, sentence) => {
    objects.set('/films/refused.mp4', (_request, response) => void response.writeHead(status).end(`<Error><Code>${reason}</Code></Error>`));
    expect(await refusal(fetchFrom(clientOf(['films']), 's3://films/refused.mp4'))).toEqual({ code, detail: expect.stringContaining(sentence) as string });
  });

  it('if the store is away', async () => {
    const away = clientOf(['films'], { video_s3_endpoint: 'http://127.0.0.1:1' });
    expect(await refusal(fetchFrom(away, 's3://films/a.mp4'))).toEqual({ code: 'media-unreachable', detail: expect.stringContaining('The store of the bucket films cannot be reached (ECONNREFUSED)') as string });
  });
});

it.skipIf(testS3Endpoint === undefined)('a store that is not ours gives its object, its ranges and its refusals', async () => {
  const options = testS3Options();
  await makeBucket(options);
  await new S3Store(options, systemInterfaces.clock).write('a/film.txt', 'the content of an object');
  const client = clientOf([options.bucket], { video_s3_endpoint: options.endpoint, video_s3_region: options.region, video_s3_access_key_id: options.accessKeyId, video_s3_secret_access_key: options.secretAccessKey });
  const { content, etag } = await fetchFrom(client, `s3://${options.bucket}/a/film.txt`);
  expect(content.toString()).toBe('the content of an object');
  const rest = await client.request({ url: `s3://${options.bucket}/a/film.txt`, method: 'GET', headers: { range: 'bytes=4-', 'if-range': etag ?? '' }, headersTimeoutMs: 1000, bodyTimeoutMs: 1000, maxRedirects: 0 });
  expect([rest.status, rest.headers['content-range'], Buffer.concat(await rest.body.toArray()).toString()]).toEqual([206, 'bytes 4-23/24', 'content of an object']);
  expect(await refusal(fetchFrom(client, `s3://${options.bucket}/nothing`))).toMatchObject({ code: 'media-not-found' });
});
