import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hookLinkMs, statusLinkMs, ArtifactLinks } from './artifactLinks.ts';
import { insertOutputs } from './outputStore.ts';
import { insertRun } from '../runs/runStore.ts';
import { VideoTestServer } from '../testing/videoTestServer.ts';

const content = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 251));
const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.000\nstoryboard.jpg#xywh=0,0,160,90\n\n00:01.000 --> 00:02.000\nstoryboard.jpg#xywh=160,0,160,90\n';
const playlist = '#EXTM3U\n#EXT-X-MAP:URI="preview.mp4",BYTERANGE="10@0"\n#EXTINF:2,\n#EXT-X-BYTERANGE:90@10\npreview.mp4\n#EXTINF:1,\npreview.mp4\n#EXT-X-ENDLIST\n';
const runId = randomUUID();
let at: VideoTestServer;
let links: ArtifactLinks;
let preview: string;

beforeAll(async () => {
  at = await VideoTestServer.start([]);
  const { platform } = at;
  const { database, blobs } = platform;
  await insertRun(database, 'acme', { runId, mediaUrl: 'https://a.example/Alpine%20Trip.mp4?token=secret', options: {}, cacheId: null, hook: null });
  const put = async (bytes: Buffer) => blobs.putStream(Readable.from([bytes]));
  const [clip, text, list] = [await put(content), await put(Buffer.from(vtt)), await put(Buffer.from(playlist))];
  await insertOutputs(database, runId, [
    { name: 'preview.mp4', kind: 'mp4', blob: clip.name, bytes: clip.bytes, contentType: 'video/mp4', duration: 3 },
    { name: 'storyboard.jpg', kind: 'storyboard-sprite', blob: clip.name, bytes: clip.bytes, contentType: 'image/jpeg' },
    { name: 'storyboard.vtt', kind: 'storyboard-vtt', blob: text.name, bytes: text.bytes, contentType: 'text/vtt; charset=utf-8' },
    { name: 'preview.m3u8', kind: 'hls', blob: list.name, bytes: list.bytes, contentType: 'application/vnd.apple.mpegurl' },
    { name: 'lost.jpg', kind: 'poster', blob: `sha256-${'0'.repeat(64)}`, bytes: 5, contentType: 'image/jpeg' },
  ]);
  links = new ArtifactLinks(database, platform, platform.publicUrl);
  preview = (await links.signer(statusLinkMs))(runId, 'preview.mp4');
});

afterAll(() => at.close());

async function codeOf(url: string, init: RequestInit = {}): Promise<[number, string]> {
  const answer = await at.open(url, init);
  return [answer.status, ((await answer.json()) as { code: string }).code];
}

async function part(range: string, headers: Record<string, string> = {}): Promise<{ status: number; bytes: Buffer; range: string | null }> {
  const answer = await at.open(preview, { headers: { range, ...headers } });
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), range: answer.headers.get('content-range') };
}

describe('a link', () => {
  it('opens the whole file without a key', async () => {
    const answer = await at.open(preview);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
    const head = Object.fromEntries(answer.headers);
    expect(head).toMatchObject({
      'content-type': 'video/mp4', 'content-length': '1000', 'accept-ranges': 'bytes', 'x-content-type-options': 'nosniff',
      'content-disposition': 'inline; filename="Alpine Trip-preview.mp4"', 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin',
    });
    expect(head['cache-control']).toMatch(/^public, max-age=\d+, immutable$/);
    expect(Number(/\d+/.exec(head['cache-control'] ?? '')?.[0])).toBeGreaterThan(23 * 3600);
  });

  it('works for at least a day, in a hook for a week', async () => {
    const expiry = (url: string): number => Number(new URL(url).searchParams.get('expires')) * 1000;
    const now = at.platform.clock.now();
    const [short, long] = [expiry(preview), expiry((await links.signer(hookLinkMs))(runId, 'preview.mp4'))];
    expect([short - now >= statusLinkMs - 60_000, short - now <= statusLinkMs + 3_600_000]).toEqual([true, true]);
    expect([long - now >= hookLinkMs - 60_000, long - now <= hookLinkMs + 3_600_000]).toEqual([true, true]);
  });

  it('opens nothing else, and says what is wrong with it', async () => {
    const changed = (change: (url: URL) => void): string => {
      const url = new URL(preview);
      change(url);
      return url.href;
    };
    const expires = Number(new URL(preview).searchParams.get('expires'));
    const wrong = [
      changed((url) => { url.pathname = url.pathname.replace('preview.mp4', 'storyboard.jpg'); }),
      changed((url) => { url.pathname = url.pathname.replace(runId, randomUUID()); }),
      changed((url) => url.searchParams.set('expires', String(expires + 1))),
      changed((url) => url.searchParams.set('expires', '')),
      changed((url) => url.searchParams.set('signature', 'A'.repeat(43))),
      changed((url) => url.searchParams.delete('signature')),
      changed((url) => { url.search = ''; }),
    ];
    for (const url of wrong) expect(await codeOf(url), url).toEqual([403, 'link-invalid']);
    expect(await codeOf(changed((url) => url.searchParams.set('expires', '1700000000')))).toEqual([410, 'link-expired']);
  });

  it('to a file that is no longer there says so', async () => {
    const link = await links.signer(statusLinkMs);
    expect(await codeOf(link(runId, 'lost.jpg'))).toEqual([404, 'unknown-output']);
    expect(await codeOf(link(runId, 'never.jpg'))).toEqual([404, 'unknown-output']);
    expect(await codeOf(link(randomUUID(), 'preview.mp4'))).toEqual([404, 'unknown-output']);
    expect(await codeOf(link('no-uuid', 'preview.mp4'))).toEqual([404, 'unknown-output']);
  });

  it('is made with one secret by every process', async () => {
    const other = new ArtifactLinks(at.platform.database, at.platform, at.platform.publicUrl);
    expect((await other.signer(statusLinkMs))(runId, 'preview.mp4')).toBe(preview);
  });
});

describe('ranges', () => {
  it('give a part', async () => {
    expect(await part('bytes=10-19')).toEqual({ status: 206, bytes: content.subarray(10, 20), range: 'bytes 10-19/1000' });
    expect(await part('bytes=990-')).toEqual({ status: 206, bytes: content.subarray(990), range: 'bytes 990-999/1000' });
    expect(await part('bytes=-5')).toEqual({ status: 206, bytes: content.subarray(995), range: 'bytes 995-999/1000' });
    expect(await part('bytes=0-5000')).toEqual({ status: 206, bytes: content, range: 'bytes 0-999/1000' });
  });

  it('behind the end are refused with the size', async () => {
    const answer = await at.open(preview, { headers: { range: 'bytes=1000-' } });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */1000']);
    expect(await answer.json()).toMatchObject({ code: 'range-unsatisfiable' });
  });

  it('that cannot be read or are several give the whole', async () => {
    for (const range of ['bytes=a-b', 'items=0-1', 'bytes=0-1,5-6']) expect((await part(range)).status).toBe(200);
  });

  it('of a file that changed since give the whole', async () => {
    const tag = (await at.open(preview, { method: 'HEAD' })).headers.get('etag') ?? '';
    expect((await part('bytes=0-1', { 'if-range': tag })).status).toBe(206);
    expect((await part('bytes=0-1', { 'if-range': '"another"' })).status).toBe(200);
    expect((await part('bytes=0-1', { 'if-range': 'Sat, 21 Nov 2026 00:00:00 GMT' })).status).toBe(200);
  });
});

it('HEAD answers as GET does, without the content', async () => {
  const answer = await at.open(preview, { method: 'HEAD' });
  expect([answer.status, answer.headers.get('content-length'), answer.headers.get('content-type')]).toEqual([200, '1000', 'video/mp4']);
  expect((await answer.arrayBuffer()).byteLength).toBe(0);
  const some = await at.open(preview, { method: 'HEAD', headers: { range: 'bytes=0-9' } });
  expect([some.status, some.headers.get('content-length')]).toEqual([206, '10']);
});

it('what a client has already is not sent again', async () => {
  const tag = (await at.open(preview, { method: 'HEAD' })).headers.get('etag') ?? '';
  for (const header of [tag, `W/${tag}`, '*', `"x", ${tag}`]) {
    expect((await at.open(preview, { headers: { 'if-none-match': header } })).status).toBe(304);
  }
  expect((await at.open(preview, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
});

it('the storyboard names its picture by a link that works', async () => {
  const answer = await at.open((await links.signer(statusLinkMs))(runId, 'storyboard.vtt'));
  const text = await answer.text();
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  const named = [...text.matchAll(/^(\/v1\/artifacts\/.+)#xywh=(.+)$/gm)];
  expect(named.map((match) => match[2])).toEqual(['0,0,160,90', '160,0,160,90']);
  const sprite = await at.open(new URL(named[0]?.[1] ?? '', at.at.url).href);
  expect([sprite.status, sprite.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  expect(Buffer.from(await sprite.arrayBuffer()).equals(content)).toBe(true);
});

it('an HLS playlist names its file by links that work with ranges', async () => {
  const text = await (await at.open((await links.signer(statusLinkMs))(runId, 'preview.m3u8'))).text();
  const named = [...text.matchAll(/^(?:#EXT-X-MAP:URI=")?(\/v1\/artifacts\/[^"\n]+)/gm)].map(([, path]) => path);
  expect([named.length, new Set(named).size]).toEqual([3, 1]);
  const answer = await at.open(new URL(named[0] ?? '', at.at.url).href, { headers: { range: 'bytes=10-99' } });
  expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(content.subarray(10, 100))]).toEqual([206, true]);
  expect(text.replaceAll(named[0] ?? '', 'preview.mp4')).toBe(playlist);
});

it('is described as open, beside the routes that need a key', async () => {
  const { paths } = (await (await fetch(`${at.at.url}/openapi.json`)).json()) as { paths: Record<string, Record<string, { security?: object[]; description?: string }>> };
  expect(paths['/v1/artifacts/{run_id}/{name}']?.['get']?.security).toEqual([]);
  expect(Object.entries(paths).filter(([path]) => /status\/|cancel\/|summarization/.test(path)).map(([path, methods]) =>
    [path, Object.keys(methods), Object.values(methods).map(({ description }) => /`(video:\w+)`/.exec(description ?? '')?.[1])])).toEqual([
    ['/v1video-summarization/create', ['post'], ['video:write']],
    ['/v1/status/{run_id}', ['get'], ['video:read']],
    ['/v1/cancel/{run_id}', ['get'], ['video:write']],
  ]);
});
