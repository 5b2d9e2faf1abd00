import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exhaustiveTest, sampleOf } from '@vouch/platform/testing/exhaustive';
import { corrupted, truncated } from '../engine/testing/clips/damage.ts';
import { makeFixture } from '../engine/testing/clips/makeFixture.ts';
import { VideoTestServer } from '../testing/videoTestServer.ts';

const maxBytes = 3_000_000;
const options = { duration: 2, width: 96, height: 54, min_segment_duration: 0.5, outputs: ['mp4'] };
let at: VideoTestServer;
let server: Server;
let base: string;
let held: ServerResponse[] = [];
/** Marker in the environment of all processes that the runs of this file start. */
const mark = `/tmp/vouch-marked-${process.pid}`;
const files = new Map<string, Buffer>();

/** Paths whose answers are not a video. */
const answers: Record<string, (response: ServerResponse) => void> = {
  '/forbidden': (response) => response.writeHead(403).end(),
  '/loop': (response) => response.writeHead(302, { location: '/loop' }).end(),
  '/inward': (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  '/endless': (response) => {
    const block = Buffer.alloc(65_536);
    const more = (): void => { while (response.writable && response.write(block)) { /* write until the buffer is full */ } };
    response.on('drain', more);
    more();
  },
  '/claims-less': (response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.socket?.write(Buffer.alloc(1000));
  },
  '/claims-more': (response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write(Buffer.alloc(10), () => response.socket?.end());
  },
  '/held': (response) => {
    response.write('x');
    held.push(response);
  },
};

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const file = files.get(url);
    // The server ignores Range headers and always returns the whole file.
    if (file !== undefined) return void response.writeHead(200, { 'content-length': file.length }).end(file);
    return (answers[url] ?? ((unknown) => unknown.writeHead(404).end()))(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  base = `http://${host}`;
  const film = corrupted(await makeFixture({ seconds: 8, cuts: [2, 4], container: 'mkv', gop: { frames: 10, fixed: true } }), 0.2, 0.25);
  files.set('/half.mkv', await readFile(truncated(film, 0.5)));
  files.set('/long.mp4', await readFile(await makeFixture({ seconds: 30, sound: null })));
  // Set after the fixtures exist, because the process that makes fixtures keeps running and must not be counted.
  vi.stubEnv('LC_ALL', mark);
  at = await VideoTestServer.start([host], { video_max_bytes: maxBytes, video_concurrency: 2 });
  await at.work();
});

afterAll(async () => {
  for (const response of held) response.end();
  await at.close();
  server.closeAllConnections();
  server.close();
  vi.unstubAllEnvs();
});

/** Command lines of living processes that the runs have started, including indirect children. */
function started(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid).flatMap((id) => {
    try {
      const zombie = / Z /.test(readFileSync(`/proc/${id}/stat`, 'utf8').replace(/\(.*\)/, ''));
      return !zombie && readFileSync(`/proc/${id}/environ`, 'utf8').includes(mark) ? [readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')] : [];
    } catch {
      return [];
    }
  });
}

const gone = (): Promise<unknown> => vi.waitUntil(async () => (await at.scratch()).length === 0 && started().length === 0, { timeout: 120_000, interval: 100 });

describe('a run ends in an error with its code where the server', () => {
  it.each(sampleOf([
    ['forbids it', '/forbidden', 'media-forbidden'],
    ['has nothing there', '/nothing', 'media-not-found'],
    ['redirects without an end', '/loop', 'media-redirects'],
    ['redirects inward', '/inward', 'address-refused'],
    ['never ends', '/endless', 'media-too-large'],
    ['sends more than it says', '/claims-less', 'media-incomplete'],
    ['sends less than it says', '/claims-more', 'media-incomplete'],
  ], 3))('%s', async (_name, path, code) => {
    const run = await at.run({ media_url: base + path, options });
    expect(run).toMatchObject({ status: 'error', stage: 'download', outputs: [], error: { code } });
    expect(run.error?.detail.length).toBeGreaterThan(30);
    await gone();
  });
});

// engine/process/badMedia.integration.test.ts tests each kind of damage separately, up to the selection of segments.
exhaustiveTest('a damaged film that breaks off and is shorter than the preview completes with a warning for each', async () => {
  const run = await at.run({ media_url: `${base}/half.mkv`, options: { ...options, duration: 30 } });
  expect([run.status, run.error, run.outputs.map(({ kind }) => kind)]).toEqual(['completed', null, ['mp4']]);
  expect(run.warnings.map(({ code }) => code)).toEqual(['ends-early', 'damaged-pictures', 'shorter-than-duration']);
  expect(Math.max(...run.segments.map(({ end }) => end))).toBeLessThan(6);
});

describe.skipIf(process.platform !== 'linux')('a cancelled run leaves no process and no file', () => {
  it.each(sampleOf(['analyse', 'render'], 1))('in the stage %s', async (wanted) => {
    const { body } = await at.create({ media_url: `${base}/long.mp4`, options: { ...options, duration: 12, width: 320, height: 180, outputs: ['mp4', 'webm', 'storyboard'] } });
    await at.until(body.run_id, ({ stage, status }) => stage === wanted || status !== 'running' && status !== 'queued');
    await vi.waitUntil(() => started().length > 0, { timeout: 120_000, interval: 20 });
    await at.send('GET', `/v1/cancel/${body.run_id}`);
    expect((await at.until(body.run_id)).status).toBe('cancelled');
    expect(started().filter((command) => command.includes('engine.child'))).toEqual([]);
    await gone();
  });
});

it('as many runs at once as the setting says, and no more', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.push((await at.create({ media_url: `${base}/held`, options })).body.run_id);
  await vi.waitUntil(() => held.length === 2, { timeout: 120_000 });
  const statuses = async (): Promise<string[]> => Promise.all(ids.map(async (id) => (await at.status(id)).status));
  expect((await statuses()).toSorted()).toEqual(['queued', 'running', 'running']);
  const first = ids[(await statuses()).indexOf('running')]!;
  await at.send('GET', `/v1/cancel/${first}`);
  await vi.waitUntil(() => held.length === 3, { timeout: 120_000 });
  expect((await statuses()).toSorted()).toEqual(['cancelled', 'running', 'running']);
  for (const id of ids) await at.send('GET', `/v1/cancel/${id}`);
  for (const id of ids) expect((await at.until(id)).status).toBe('cancelled');
  await gone();
});
