import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Problem } from '@vouch/platform/errors/problem';
import { createOutbound } from '@vouch/platform/outbound/createOutbound';
import type { OutboundHttp } from '@vouch/platform/outbound/outbound';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { freePort } from '@vouch/platform/testing/freePort';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { downloadMedia, type DownloadRequest } from './downloadMedia.ts';

const maxBytes = 100_000;
const media = Buffer.alloc(50_000, 7);
const other = Buffer.alloc(40_000, 9);
let busy = 0;
let changes = 0;
const ranges: (string | null)[] = [];
let server: Server;
let folder: string;
let base: string;
let outbound: OutboundHttp;
/** Pauses before repetitions, ms; the test does not wait. */
const pauses: number[] = [];
const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/busy': (_request, response) => {
    busy += 1;
    if (busy === 1) response.writeHead(429, { 'retry-after': '2' }).end();
    else if (busy === 2) response.writeHead(502).end();
    else response.end(media);
  },
  '/breaks': (request, response) => {
    const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
    ranges.push(from ?? null);
    if (from !== undefined && request.headers['if-range'] === '"v1"') {
      response.writeHead(206, { etag: '"v1"', 'content-range': `bytes ${from}-49999/50000`, 'content-length': 50_000 - Number(from) }).end(media.subarray(Number(from)));
    } else breakOff(response, { etag: '"v1"' });
  },
  '/at-the-end': (request, response) => {
    ranges.push(request.headers.range ?? null);
    if (request.headers.range !== undefined) return response.writeHead(416, { 'content-range': 'bytes */50000' }).end();
    response.writeHead(200, { etag: '"v1"' });
    response.write(media, () => setTimeout(() => response.destroy(), 50));
  },
  '/shrinks': (request, response) => {
    ranges.push(request.headers.range ?? null);
    if (request.headers.range !== undefined) response.writeHead(416, { 'content-range': 'bytes */40000' }).end();
    else if (ranges.length === 1) breakOff(response, { etag: '"v1"' });
    else response.end(other);
  },
  '/changes': (_request, response) => {
    changes += 1;
    if (changes === 1) breakOff(response, { etag: '"old"' });
    else response.setHeader('etag', '"new"').end(other);
  },
  // These servers do not compare If-Range.
  '/mixes': (request, response) => {
    ranges.push(request.headers.range ?? null);
    if (ranges.length === 1) breakOff(response, { etag: '"old"' });
    else if (request.headers.range === undefined) response.setHeader('etag', '"new"').end(other);
    else response.writeHead(206, { etag: '"new"', 'content-range': 'bytes 20000-39999/40000' }).end(other.subarray(20_000));
  },
  '/mixes-silently': (request, response) => {
    ranges.push(request.headers.range ?? null);
    if (ranges.length === 1) breakOff(response, { 'last-modified': 'Mon, 02 Nov 2026 10:00:00 GMT' });
    else if (request.headers.range === undefined) response.end(other);
    else response.writeHead(206, { 'content-range': 'bytes 20000-39999/40000' }).end(other.subarray(20_000));
  },
  '/in-pieces': (request, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? -1);
    ranges.push(request.headers.range ?? null);
    if (from < 0) return breakOff(response, { etag: '"v1"' });
    const to = Math.min(50_000, from + 10_000);
    response.writeHead(206, { etag: '"v1"', 'content-range': `bytes ${from}-${to - 1}/50000` }).end(media.subarray(from, to));
  },
  // Sends 2 MB of one version and refuses to continue it, without end.
  '/teases': (request, response) => {
    ranges.push(request.headers.range ?? null);
    if (request.headers.range !== undefined) return response.writeHead(416, { 'content-range': 'bytes */9' }).end();
    response.writeHead(200, { etag: '"v1"', 'content-length': '3000000' });
    response.write(Buffer.alloc(2_000_000), () => setTimeout(() => response.destroy(), 50));
  },
  '/gzip': (_request, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(media)),
  '/nameless': (request, response) => {
    ranges.push(request.headers.range ?? null);
    if (ranges.length === 1) breakOff(response, {});
    else response.end(media);
  },
  '/whole': (_request, response) => response.setHeader('etag', '"v1"').end(media),
  '/chunked': (_request, response) => {
    response.write(media.subarray(0, 10));
    response.end(media.subarray(10));
  },
  '/moved': (_request, response) => response.writeHead(302, { location: '/whole' }).end(),
  '/missing': (_request, response) => response.writeHead(404).end('no'),
  '/gone': (_request, response) => response.writeHead(410).end('no'),
  '/private': (_request, response) => response.writeHead(403).end('no'),
  '/broken': (_request, response) => response.writeHead(503).end('no'),
  '/partial': (_request, response) => response.writeHead(206).end(media),
  '/loop': (_request, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/inward': (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/admin' }).end(),
  '/to-file': (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/claims-more': (_request, response) => response.writeHead(200, { 'content-length': String(maxBytes + 1) }).write('x'),
  '/endless': (_request, response) => {
    const more = (): void => {
      while (response.writable && response.write(media)) { /* write until the buffer is full */ }
    };
    response.on('drain', more);
    more();
  },
  '/drip': (_request, response) => {
    const timer = setInterval(() => response.write('x'), 100);
    response.on('close', () => clearInterval(timer));
  },
  '/silent': (_request, response) => response.write('x'),
  '/lies-short': (_request, response) => {
    response.writeHead(200, { 'content-length': '60000' });
    response.write(media, () => response.socket?.end());
  },
  '/lies-long': (_request, response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.socket?.write(media);
  },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'download-'));
  server = createServer((request, response) => answers[request.url ?? '']?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  base = `http://127.0.0.1:${port}`;
  outbound = createOutbound({
    allowPrivateAddresses: [`127.0.0.1:${port}`, 'closed.test:2'],
    lookup: async (host) => (host === 'two.test' ? ['93.184.215.14', '10.0.0.5'] : host === 'closed.test' ? ['127.0.0.1'] : []),
  }, systemInterfaces.timers);
});

afterAll(async () => {
  await outbound.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

function download(url: string, extra: Partial<DownloadRequest> = {}, door = outbound) {
  const slowest = { bytesPerSecond: 1000, windowMs: 500 };
  const request = { url: url.startsWith('/') ? base + url : url, folder, maxBytes, signal: new AbortController().signal, slowest };
  return downloadMedia(door, { ...systemInterfaces, timers: { sleep: async (milliseconds) => void pauses.push(milliseconds) } }, { ...request, ...extra });
}

async function refusal(url: string, door = outbound): Promise<{ code: string; detail: string }> {
  const error: unknown = await download(url, {}, door).catch((failure: unknown) => failure);
  if (!(error instanceof Problem)) throw new Error(`${url} gave no problem: ${String(error)}`);
  return { code: error.code, detail: error.detail };
}

describe('a media file is fetched whole', () => {
  it.each(['/whole', '/chunked', '/moved'])('%s', async (path) => {
    const heard: number[] = [];
    const got = await download(path, { progress: (fraction) => heard.push(fraction) });
    expect(got.bytes).toBe(media.length);
    expect(got.etag).toBe(path === '/chunked' ? null : '"v1"');
    expect((await readFile(got.path)).equals(media)).toBe(true);
    expect(heard.at(-1)).toBe(path === '/chunked' ? undefined : 1);
    await rm(got.path);
  });
});

/** Announces the whole file and closes the connection in the middle. */
function breakOff(response: ServerResponse, headers: Record<string, string>): void {
  response.writeHead(200, { ...headers, 'content-length': '50000' });
  response.write(media.subarray(0, 20_000), () => setTimeout(() => response.destroy(), 50));
}

describe('a download that is interrupted continues', () => {
  const fetched = async (path: string): Promise<{ content: Buffer; interruptions: readonly string[]; pauses: number[] }> => {
    pauses.length = ranges.length = 0;
    const { path: file, interruptions } = await download(path);
    const content = await readFile(file);
    await rm(file);
    return { content, interruptions, pauses: [...pauses] };
  };

  it('after the time that a busy server names, and states what happened', async () => {
    const { content, interruptions, pauses: waited } = await fetched('/busy');
    expect(content.equals(media)).toBe(true);
    expect(interruptions).toEqual([expect.stringContaining('answered 429'), expect.stringContaining('answered 502')]);
    expect(waited).toEqual([2000, 1000]);
  });

  it('with the missing bytes of the same version', async () => {
    const { content, interruptions } = await fetched('/breaks');
    expect(content.equals(media)).toBe(true);
    expect(ranges).toEqual([null, '20000']);
    expect(interruptions).toEqual([expect.stringContaining('closed the connection')]);
  });

  it('from the beginning if the file has changed, or if the server does not name its version', async () => {
    expect((await fetched('/changes')).content.equals(other)).toBe(true);
    expect((await fetched('/nameless')).content.equals(media)).toBe(true);
    expect(ranges).toEqual([null, null]);
  });

  it('from the beginning if the rest is of another version, as from servers that ignore If-Range', async () => {
    expect((await fetched('/mixes')).content.equals(other)).toBe(true);
    expect(ranges).toEqual([null, 'bytes=20000-', null]);
    expect((await fetched('/mixes-silently')).content.equals(other)).toBe(true);
    expect(ranges).toEqual([null, 'bytes=20000-', null]);
  });

  it('with further requests if the server sends only a part of the rest', async () => {
    expect((await fetched('/in-pieces')).content.equals(media)).toBe(true);
    expect(ranges).toEqual([null, 'bytes=20000-', 'bytes=30000-', 'bytes=40000-']);
  });

  it('not if only the end of the answer was missing, and from the beginning if the file is shorter now', async () => {
    expect((await fetched('/at-the-end')).content.equals(media)).toBe(true);
    expect(ranges).toEqual([null, 'bytes=50000-']);
    expect((await fetched('/shrinks')).content.equals(other)).toBe(true);
    expect(ranges).toEqual([null, 'bytes=20000-', null]);
  });

  it('from a server that cannot be reached at first, as after its restart or during a partition', async () => {
    const late = createServer((_request, response) => response.end(media));
    const port = await freePort();
    const door = createOutbound({ allowPrivateAddresses: [`127.0.0.1:${port}`] }, systemInterfaces.timers);
    const starts = { sleep: () => new Promise<void>((resolve) => late.listen(port, '127.0.0.1', resolve)) };
    const request = { url: `http://127.0.0.1:${port}/film.mp4`, folder, maxBytes, signal: new AbortController().signal };
    const { path, interruptions } = await downloadMedia(door, { ...systemInterfaces, timers: starts }, request);
    expect((await readFile(path)).equals(media)).toBe(true);
    expect(interruptions).toEqual([expect.stringContaining('refuses connections')]);
    await rm(path);
    await door.close();
    late.close();
  });

  it('until it is hopeless: the refusal states the number of tries', async () => {
    expect((await refusal('/broken')).detail).toContain('Vouch tried 4 times');
    expect((await refusal('http://closed.test:2/film.mp4')).detail).toContain('Vouch tried 4 times');
    ranges.length = 0;
    // A server that answers 20 requests and then is gone ends the test also if the download has no end.
    const teased = download('/teases', { maxBytes: 10_000_000, interrupted: () => { if (ranges.length > 20) throw new Error('no end'); } });
    await expect(teased).rejects.toMatchObject({ detail: expect.stringContaining('Vouch tried') as string });
    expect(ranges.length).toBeLessThan(10);
  });
});

describe('each refusal has its code, a sentence with the value, and leaves nothing behind', () => {
  it.each([
    ['/missing', 'media-not-found', 'answered 404'],
    ['/gone', 'media-not-found', 'answered 410'],
    ['/private', 'media-forbidden', 'answered 403'],
    ['/broken', 'media-refused', 'answered 503'],
    ['/partial', 'media-refused', 'answered 206'],
    ['/gzip', 'media-refused', 'compressed (content-encoding: gzip)'],
    ['/loop', 'media-redirects', 'redirected more than 5 times'],
    ['/inward', 'address-refused', 'loopback'],
    ['/to-file', 'address-refused', 'scheme file'],
    ['/claims-more', 'media-too-large', 'announces 100001 bytes'],
    ['/endless', 'media-too-large', 'sent more than 100000 bytes'],
    ['/drip', 'media-too-slow', 'less than the minimum of 1000 bytes per second'],
    ['/silent', 'media-too-slow', 'sent nothing of its answer for 0.5 s'],
    ['/lies-short', 'media-incomplete', 'closed the connection before the answer was complete'],
    ['/lies-long', 'media-incomplete', 'more bytes than announced'],
    ['http://two.test/film.mp4', 'address-refused', 'resolves to a private IP address'],
    ['http://nowhere.test/film.mp4', 'media-unreachable', 'nowhere.test could not be resolved (DNS)'],
    ['http://closed.test:2/film.mp4', 'media-unreachable', 'refuses connections'],
    ['ftp://example.org/film.mp4', 'address-refused', 'scheme ftp'],
  ])('%s: %s', async (url, code, text) => {
    const found = await refusal(url);
    expect(found).toEqual({ code, detail: expect.stringContaining(text) as string });
    expect(await readdir(folder)).toEqual([]);
  });

  it('a certificate that nobody vouches for: media-certificate', async () => {
    const key = join(folder, 'key.pem');
    const certificate = join(folder, 'certificate.pem');
    try {
      execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost', '-keyout', key, '-out', certificate], { stdio: 'ignore' });
    } catch {
      console.log('skipped: openssl is not installed, so no certificate can be made');
      return;
    }
    const secure = createTlsServer({ key: await readFile(key), cert: await readFile(certificate) }, (_request, response) => response.end(media));
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(secure.address() as AddressInfo).port}`;
    const door = createOutbound({ allowPrivateAddresses: [host] }, systemInterfaces.timers);
    expect(await refusal(`https://${host}/film.mp4`, door)).toEqual({
      code: 'media-certificate', detail: expect.stringContaining('has no valid certificate') as string,
    });
    await door.close();
    secure.close();
    await rm(key);
    await rm(certificate);
  });

  it('cancelled in the middle: the reason of the signal', async () => {
    const cancel = new AbortController();
    const outcome = download('/silent', { signal: cancel.signal, slowest: { bytesPerSecond: 1, windowMs: 60_000 } }).catch((error: unknown) => error);
    setTimeout(() => cancel.abort(new Error('enough')), 100);
    expect(await outcome).toEqual(new Error('enough'));
    expect(await readdir(folder)).toEqual([]);
  });
});
