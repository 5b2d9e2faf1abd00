import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import type { FixtureSpec } from '../engine/testing/clips/fixtureSpec.ts';
import { makeFixture } from '../engine/testing/clips/makeFixture.ts';
import { MediaTestServer } from '../testing/mediaTestServer.ts';
import type { RunRecord } from './run.schema.ts';
import { VideoTestServer } from '../testing/videoTestServer.ts';

const small = { duration: 2, width: 96, height: 54, min_segment_duration: 0.5 } as const;
/** Text of one subtitle each. */
const lines = ['A storm rises over the harbour', 'Nobody saw the lighthouse', 'Seven ships were lost', 'The keeper wrote letters', 'Snow fell until April', 'An orchestra played'];
const subtitles = lines.map((line, at) => `${at + 1}\n00:00:0${at},100 --> 00:00:0${at},900\n${line}\n`).join('\n');
let media: MediaTestServer;
let at: VideoTestServer;
let clip: string;

beforeAll(async () => {
  media = await MediaTestServer.start();
  at = await VideoTestServer.start([media.address]);
  clip = await media.serve('/film.mp4', await makeFixture({ seconds: 6, cuts: [2, 4] }), { etag: '"v1"' });
  await at.work();
});

afterEach(async () => {
  await vi.waitUntil(async () => (await at.scratch()).length === 0, { timeout: 120_000 });
  expect(engines()).toEqual([]);
});

afterAll(async () => {
  await at.close();
  await media.close();
});

/** Living engine processes that this process has started. */
function engines(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter((id) => {
    try {
      const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${id}/stat`, 'utf8'))?.[1];
      return parent === String(process.pid) && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('engine.child');
    } catch {
      return false;
    }
  });
}

async function hookAt(path: string): Promise<{ type: string; timestamp: string; data: RunRecord; headers: object }> {
  const call = await vi.waitUntil(() => media.calls.find((each) => each.path === path), { timeout: 120_000 });
  return { ...(JSON.parse(call.body) as { type: string; timestamp: string; data: RunRecord }), headers: call.headers };
}

/** Remaining validity of a link, seconds. */
function lifetime(url: string): number {
  return Number(new URL(url).searchParams.get('expires')) - at.platform.clock.now() / 1000;
}

describe('a run', () => {
  let made: RunRecord;

  exhaustiveTest('makes a preview and a poster in each aspect ratio, and records what they show of the picture', async () => {
    const run = await at.run({ media_url: clip, options: { duration: 2, min_segment_duration: 0.5, outputs: ['mp4', 'poster'], aspect_ratios: ['16:9', '9:16'], height: 90 } });
    expect(run.error).toBeNull();
    expect(run.outputs.map(({ name, width, height, aspect_ratio: ratio, framing }) => [name, width, height, ratio, framing?.mode, framing?.picture_share])).toEqual([
      ['preview-16x9.mp4', 160, 90, '16:9', 'whole', 1], ['preview-9x16.mp4', 50, 90, '9:16', 'crop', 0.313],
      ['poster-16x9.jpg', 160, 90, '16:9', 'whole', 1], ['poster-9x16.jpg', 50, 90, '9:16', 'crop', 0.313],
    ]);
    expect(run.outputs[1]?.framing?.motion_share).toBeGreaterThan(0);
    expect((await at.open(run.outputs[1]?.url ?? '')).status).toBe(200);
  });

  // The video's index is at the end of the file, and the server does not support ranges.
  it('makes what was asked for, and tells all of it', async () => {
    const outputs = ['mp4', 'poster', 'storyboard', 'keyframes', 'shots', 'curve', 'gif'] as const;
    const run = await at.run({ media_url: clip, on_completed_hook: `${media.url}/made`, options: { ...small, outputs } });
    made = run;
    expect(run, JSON.stringify(run.error)).toMatchObject({
      status: 'completed', stage: 'render', progress: 1, eta_seconds: 0, error: null, warnings: [], cache: { id: null, hit: false }, shots_count: expect.any(Number) as number,
      source: { container: 'mp4', codec: 'h264', width: 160, height: 90, fps: 25, audio: { codec: 'aac', channels: expect.any(Number) as number } },
    });
    expect(run.source?.duration).toBeCloseTo(6, 1);
    expect(['ffmpeg', 'node-av']).toContain(run.engine?.backend);
    expect(Object.keys(run.timings)).toEqual(['download', 'probe', 'analyse', 'subtitles', 'select', 'render']);
    const length = run.segments.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(length).toBeGreaterThan(1.5);
    expect(length).toBeLessThan(2.5);
    for (const { reasons, score } of run.segments) expect([reasons.length > 0, score >= 0 && score <= 1]).toEqual([true, true]);
    const kinds = new Set(run.outputs.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(['curve', 'gif', 'keyframe', 'mp4', 'poster', 'shots', 'storyboard-sprite', 'storyboard-vtt']);
    expect(run.outputs.filter(({ choice }) => choice !== undefined).map(({ kind }) => kind)).toEqual(['poster']);
    expect(run.outputs.find(({ kind }) => kind === 'poster')?.choice).toMatchObject({ quality: expect.any(Number) as number, face: 0 });
    for (const output of run.outputs) {
      const answer = await at.open(output.url);
      const bytes = (await answer.arrayBuffer()).byteLength;
      expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([200, output.content_type.split(';')[0]]);
      if (output.kind !== 'storyboard-vtt') expect(bytes).toBe(output.bytes);
    }
    const hook = await hookAt('/made');
    expect(hook.type).toBe('video.summarization.completed');
    expect(hook.data).toEqual({ ...run, outputs: run.outputs.map((output) => ({ ...output, url: expect.any(String) as string })) });
    expect(lifetime(hook.data.outputs[0]?.url ?? '')).toBeGreaterThan(6.9 * 86_400);
    expect(lifetime(run.outputs[0]?.url ?? '')).toBeLessThan(25.1 * 3600);
    expect(hook.headers).toMatchObject({ 'webhook-id': expect.any(String) as string, 'webhook-signature': expect.stringMatching(/^v1,/) as string });
  });

  exhaustiveTest('uses subtitles, and goes on without them where they cannot be had', async () => {
    media.files.set('/film.srt', { content: Buffer.from(subtitles) });
    const runWith = (path: string): Promise<RunRecord> =>
      at.run({ media_url: clip, cache_id: made.run_id, options: { ...small, outputs: ['poster'], subtitles_url: media.url + path } });
    const titled = await runWith('/film.srt');
    expect(titled.warnings).toEqual([]);
    expect(media.count('GET', '/film.srt')).toBe(1);
    for (const { text } of titled.segments) expect(lines).toContain(text);
    media.files.set('/western.srt', { content: Buffer.from(subtitles.replaceAll(/(?<= --> .*\n).+/g, 'Größe'), 'latin1') });
    const western = await runWith('/western.srt');
    expect(western.warnings.map(({ code }) => code)).toEqual(['subtitles-encoding']);
    for (const { text } of western.segments) expect([null, 'Größe']).toContain(text);
    expect(western.segments.some(({ text }) => text !== null)).toBe(true);
    media.files.set('/page.srt', { content: Buffer.from('<!doctype html><title>Sign in</title>') });
    const unread = await runWith('/page.srt');
    expect(unread).toMatchObject({ status: 'completed', warnings: [{ code: 'subtitles-empty', detail: expect.stringContaining('subtitles_url') as string }] });
    const without = await runWith('/gone.srt');
    expect(without).toMatchObject({ status: 'completed', warnings: [{ code: 'subtitles-unavailable', detail: expect.stringContaining('404') as string }] });
  });

  exhaustiveTest('reads a DASH manifest whose pictures and sound are files of their own', async () => {
    await media.serve('/pictures.mp4', await makeFixture({ seconds: 2, sound: null }));
    await media.serve('/sound.mp4', await makeFixture({ seconds: 2, codec: null }));
    const set = (type: string, file: string): string => `<AdaptationSet mimeType="${type}/mp4"><Representation bandwidth="1"><BaseURL>${file}</BaseURL></Representation></AdaptationSet>`;
    media.files.set('/film.mpd', { content: Buffer.from(`<MPD type="static"><Period>${set('video', 'pictures.mp4')}${set('audio', 'sound.mp4')}</Period></MPD>`) });
    const run = await at.run({ media_url: `${media.url}/film.mpd`, options: { duration: 1, min_segment_duration: 0.5, outputs: ['poster'] } });
    expect(run, JSON.stringify(run.error)).toMatchObject({ status: 'completed', warnings: [], source: { container: 'mp4', codec: 'h264', audio: { codec: 'aac' } } });
  });

  exhaustiveTest('uses the subtitles inside the file, in the language asked for', async () => {
    const track = (codec: 'subrip' | 'ass', language: string): FixtureSpec['subtitles'][number] => ({ codec, language, cues: [{ start: 0.2, end: 2.8, text: `${language} words` }] });
    const film = await media.serve('/inside.mkv', await makeFixture({ container: 'mkv', seconds: 3, subtitles: [track('subrip', 'eng'), track('ass', 'ger')] }));
    const titles = async (options: object): Promise<unknown[]> => (await at.run({ media_url: film, options: { ...small, outputs: ['captions'], ...options } })).segments.map(({ text }) => text);
    expect(await titles({})).toContain('eng words');
    expect(await titles({ subtitles_language: 'de' })).toContain('ger words');
  });

  it.each([
    ['there is no media', '/nothing.mp4', {}, 'media-not-found', 'download', /.{20}/],
    // The sentence names the server of the media, not the internal file name.
    ['it is a web page', '/page.html', {}, 'not-media', 'probe', /^The file from 127\.0\.0\.1:\d+ is a web page, not a video\./],
    ['it is empty', '/empty.mp4', {}, 'media-empty', 'probe', /.{20}/],
    ['the options leave nothing of it', '/film.mp4', { exclude_start: 4, exclude_end: 4 }, 'contradictory-options', 'probe', /.{20}/],
    ['the options want what comes after its end', '/film.mp4', { include_ranges: [{ start: 20, end: 21 }] }, 'contradictory-options', 'probe', /21 s/],
  ])('ends as an error where %s', async (_name, path, options, code, stage, sentence) => {
    media.files.set('/page.html', { content: Buffer.from('<!doctype html><title>Player</title>') });
    media.files.set('/empty.mp4', { content: Buffer.alloc(0) });
    const hook = `/failed${path}?${code}-${Object.keys(options).length}`;
    const run = await at.run({ media_url: media.url + path, on_completed_hook: media.url + hook, options });
    expect(run).toMatchObject({ status: 'error', stage, outputs: [], segments: [], error: { code, type: `http://vouch.test/docs/errors/${code}` } });
    expect(run.error?.detail).toMatch(sentence);
    expect(run.completed_at).not.toBeNull();
    const { type, data } = await hookAt(hook);
    expect([type, data]).toEqual(['video.summarization.error', run]);
    expect((await at.send<RunRecord>('GET', `/v1/cancel/${run.run_id}`)).body).toEqual(run);
  });
});

describe('a cancelled run', () => {
  it('stops its download, and tells the hook', async () => {
    await media.serve('/held.mp4', await makeFixture({ seconds: 6, cuts: [2, 4] }), { heldAt: 1000 });
    const { body } = await at.create({ media_url: `${media.url}/held.mp4`, on_completed_hook: `${media.url}/cancelled` });
    await vi.waitUntil(() => media.count('GET', '/held.mp4') === 1, { timeout: 120_000 });
    const asked = await at.send<RunRecord>('GET', `/v1/cancel/${body.run_id}`);
    expect(['cancelling', 'cancelled']).toContain(asked.body.status);
    const run = await at.until(body.run_id);
    expect(run).toMatchObject({ status: 'cancelled', outputs: [], error: null });
    const { type, data } = await hookAt('/cancelled');
    expect([type, data]).toEqual(['video.summarization.cancelled', run]);
    expect((await at.send<RunRecord>('GET', `/v1/cancel/${body.run_id}`)).body).toEqual(run);
  });
});

exhaustiveTest('a run that its worker gave back goes on behind its last finished stage', async () => {
  const before = media.count('GET', '/film.mp4');
  const { body } = await at.create({ media_url: clip, options: { ...small, outputs: ['mp4'] } });
  await at.until(body.run_id, ({ stage }) => stage === 'analyse');
  await at.rest();
  expect(engines()).toEqual([]);
  expect(await at.status(body.run_id)).toMatchObject({ status: 'queued', outputs: [] });
  await at.work();
  const run = await at.until(body.run_id);
  expect([run.status, run.error]).toEqual(['completed', null]);
  expect(Object.keys(run.timings)).toEqual(['download', 'probe', 'analyse', 'subtitles', 'select', 'render']);
  expect(media.count('GET', '/film.mp4')).toBe(before + 1);
});
