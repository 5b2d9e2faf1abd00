import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunRecord } from './run.schema.ts';
import { stranger, VideoTestServer } from '../testing/videoTestServer.ts';

const mediaUrl = 'https://media.example/film.mp4';
/** The server runs no worker, so accepted runs stay queued. */
let at: VideoTestServer;

interface Refusal {
  code: string;
  detail: string;
  errors?: { location: string; detail: string }[];
}

beforeAll(async () => { at = await VideoTestServer.start(['127.0.0.1:9']); });
afterAll(() => at.close());

async function refusal(body: unknown): Promise<Refusal & { status: number }> {
  const answer = await at.create<Refusal>(body);
  return { status: answer.status, ...answer.body };
}

async function countRuns(): Promise<number> {
  const { rows } = await at.platform.database.query<{ count: number }>('SELECT count(*)::int AS count FROM video_runs');
  return rows[0]?.count ?? 0;
}

describe('a run is recorded at once', () => {
  it('with its address alone', async () => {
    const { status, body } = await at.create({ media_url: mediaUrl });
    expect(status).toBe(202);
    expect(body).toEqual({
      run_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string, status: 'queued', stage: null, progress: 0, eta_seconds: null, runs_ahead: 0, waiting: null,
      media_url: mediaUrl, options: {}, cache: { id: null, hit: false }, source: null, engine: null, segments: [], shots_count: null,
      outputs: [], warnings: [], timings: {}, error: null, created_at: expect.stringMatching(/Z$/) as string, started_at: null, completed_at: null,
    });
    expect(await at.status(body.run_id)).toEqual(body);
  });

  it('with every field', async () => {
    const options = {
      duration: 20, max_segments: 5, min_segment_duration: 1, max_segment_duration: 10, exclude_start: '5%', exclude_end: 3,
      include_ranges: [{ start: 100, end: 103 }], exclude_ranges: [{ start: 10, end: 20 }], skip_credits: false,
      keep_speech_whole: false, order: 'importance', diversity: 0.2, weights: { motion: 2 }, analysis: 'fast',
      outputs: ['mp4', 'gif'], width: 320, height: 180, fps: 12, audio: false, crossfade: 0.2, seed: 7,
      subtitles_url: 'https://media.example/film.srt',
    };
    const { status, body } = await at.create({
      media_url: mediaUrl, on_completed_hook: 'https://hooks.example/done', options, cache_id: 'whatever',
    });
    expect(status).toBe(202);
    expect([body.options, body.cache]).toEqual([options, { id: 'whatever', hit: null }]);
  });
});

it('the list has the runs of one organization, newest first, page by page', async () => {
  const made: string[] = [];
  for (const name of ['a', 'b', 'c']) made.unshift((await at.create({ media_url: `https://media.example/${name}.mp4` })).body.run_id);
  const first = await at.list('?limit=2');
  expect(first.body.map(({ run_id: id }) => id)).toEqual(made.slice(0, 2));
  expect(first.body[0]).toEqual(await at.status(made[0] as string));
  const link = first.headers.get('link') ?? '';
  expect(link).toMatch(/^<http:\/\/[^>]+\/v1\/runs\?limit=2&cursor=\w+>; rel="next"$/);
  const second = await at.list(/\?[^>]+/.exec(link)?.[0] ?? '');
  expect(second.body[0]?.run_id).toBe(made[2]);
  expect((await at.list('?limit=100')).headers.get('link')).toBeNull();
  expect((await at.list('', stranger)).body).toEqual([]);
  expect((await at.list('?cursor=x')).status).toBe(422);
});

it('a queued run states how many runs begin before it, in each answer', async () => {
  const stated = async (id: string): Promise<number | null> => (await at.status(id)).runs_ahead;
  const before = (await at.create({ media_url: mediaUrl })).body;
  await at.create({ media_url: mediaUrl }, { apikey: stranger });
  const after = (await at.create({ media_url: mediaUrl })).body;
  expect(after.runs_ahead).toBe(before.runs_ahead! + 1);
  expect([await stated(before.run_id), await stated(after.run_id)]).toEqual([before.runs_ahead, after.runs_ahead]);
  expect((await at.list('?limit=2')).body.map(({ runs_ahead: ahead }) => ahead)).toEqual([after.runs_ahead, before.runs_ahead]);
  expect((await at.send<RunRecord>('GET', `/v1/cancel/${before.run_id}`)).body.runs_ahead).toBeNull();
  expect(await stated(after.run_id)).toBe(before.runs_ahead);
});

it.each(['film.mp4', './films/film.mp4', '/srv/films/film.mp4', 'C:\\films\\film.mp4', 'file:///srv/film.mp4', '~/film.mp4', 'media.example/film.mp4'])(
  'the path of a file as media_url is refused with the command that takes it: %s', async (path) => {
    const { status, code, detail, errors } = await refusal({ media_url: path });
    expect([status, code, errors?.[0]?.location]).toEqual([422, 'address-refused', '/media_url']);
    expect(detail).toContain('vouch summarize <file>');
  });

describe('what cannot work is refused at once, and leaves no run', () => {
  it.each<[string, unknown, string, string | null]>([
    ['no body', undefined, 'invalid-parameter', '/media_url'],
    ['no address', {}, 'invalid-parameter', '/media_url'],
    ['an address that is no text', { media_url: 7 }, 'invalid-parameter', '/media_url'],
    ['an unknown field', { media_url: mediaUrl, option: {} }, 'unknown-parameter', '/option'],
    ['an unknown option', { media_url: mediaUrl, options: { durations: 3 } }, 'unknown-parameter', '/options/durations'],
    ['an unknown weight', { media_url: mediaUrl, options: { weights: { sounds: 3 } } }, 'unknown-parameter', '/options/weights/sounds'],
    ['options that are no object', { media_url: mediaUrl, options: [] }, 'invalid-parameter', '/options'],
    ['a duration that is no number', { media_url: mediaUrl, options: { duration: '30' } }, 'invalid-parameter', '/options/duration'],
    ['a share above 1', { media_url: mediaUrl, options: { ratio: 1.5 } }, 'invalid-parameter', '/options/ratio'],
    ['an unknown output', { media_url: mediaUrl, options: { outputs: ['mp3'] } }, 'invalid-parameter', '/options/outputs/0'],
    ['a hook that is no text', { media_url: mediaUrl, on_completed_hook: 7 }, 'invalid-parameter', '/on_completed_hook'],
    ['a cache id that is no text', { media_url: mediaUrl, cache_id: 7 }, 'invalid-parameter', '/cache_id'],
    ['two lengths', { media_url: mediaUrl, options: { duration: 10, ratio: 0.1 } }, 'contradictory-options', '/options/ratio'],
    ['segments of no allowed length', { media_url: mediaUrl, options: { min_segment_duration: 5, max_segment_duration: 2 } }, 'contradictory-options', '/options/min_segment_duration'],
    ['a local file', { media_url: 'file:///etc/passwd' }, 'address-refused', '/media_url'],
    ['no address at all', { media_url: 'film.mp4' }, 'address-refused', '/media_url'],
    ['a private address', { media_url: 'http://10.0.0.1/film.mp4' }, 'address-refused', '/media_url'],
    ['this machine, spelt differently', { media_url: 'http://0x7f.1/film.mp4' }, 'address-refused', '/media_url'],
    ['another port of an allowed host', { media_url: 'http://127.0.0.1:10/film.mp4' }, 'address-refused', '/media_url'],
    ['a secret in the address', { media_url: 'https://user:secret@media.example/film.mp4' }, 'address-refused', '/media_url'],
    ['a private hook', { media_url: mediaUrl, on_completed_hook: 'http://169.254.169.254/' }, 'address-refused', '/on_completed_hook'],
    ['private subtitles', { media_url: mediaUrl, options: { subtitles_url: 'http://[::1]/s.vtt' } }, 'address-refused', '/options/subtitles_url'],
  ])('%s', async (_name, body, code, location) => {
    const before = await countRuns();
    const found = await refusal(body);
    expect([found.status, found.code], JSON.stringify(found)).toEqual([422, code]);
    if (location !== null) expect(found.errors?.map((fault) => fault.location)).toContain(location);
    expect(await countRuns()).toBe(before);
  });

  it('names every address that may not be called, by its field and without what may be secret in it', async () => {
    const found = await refusal({
      media_url: 'film.mp4?token=hidden', on_completed_hook: 'http://10.0.0.1/?token=hidden', options: { subtitles_url: 'ftp://media.example/hidden.srt' },
    });
    expect(found.errors?.map(({ location }) => location)).toEqual(['/media_url', '/options/subtitles_url', '/on_completed_hook']);
    expect(found.detail).toMatch(/^media_url: The value is not a complete URL such as .* 2 more in `errors`\.$/);
    expect(JSON.stringify(found)).not.toContain('hidden');
  });

  it('names the nearest option', async () => {
    const { detail } = await refusal({ media_url: mediaUrl, options: { max_segment: 3 } });
    expect(detail).toContain('did you mean max_segments?');
  });
});

describe('a repeated request', () => {
  it('with the same key starts one run', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const before = await countRuns();
    const answers = await Promise.all([1, 2, 3].map(() => at.create({ media_url: mediaUrl }, headers)));
    expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(await countRuns()).toBe(before + 1);
    expect((await at.create<Refusal>({ media_url: `${mediaUrl}?other` }, headers)).body.code).toBe('idempotency-conflict');
  });
});

describe('a waiting run', () => {
  it('is cancelled at once, and stays so', async () => {
    const { body: { run_id: runId } } = await at.create({ media_url: mediaUrl });
    const cancelled = await at.send<RunRecord>('GET', `/v1/cancel/${runId}`);
    expect([cancelled.status, cancelled.body.status, cancelled.headers.get('cache-control')]).toEqual([200, 'cancelled', 'no-store']);
    const again = await at.send<RunRecord>('GET', `/v1/cancel/${runId}`);
    expect(again.body).toEqual(cancelled.body);
    expect(await at.status(runId)).toEqual(cancelled.body);
  });

  it('is not cancelled by a HEAD', async () => {
    const { body: { run_id: runId } } = await at.create({ media_url: mediaUrl });
    expect((await fetch(`${at.at.url}/v1/cancel/${runId}`, { method: 'HEAD', headers: { apikey: 'acme:video:write' } })).status).toBe(405);
    expect((await at.status(runId)).status).toBe('queued');
  });
});

describe('a run of another organization', () => {
  it('is as unknown as one that nobody has, for status and cancel', async () => {
    const { body: { run_id: runId } } = await at.create({ media_url: mediaUrl });
    for (const path of ['status', 'cancel']) {
      const texts: string[] = [];
      for (const id of [runId, randomUUID(), 'no-id', '..%2f', 'x'.repeat(5000)]) {
        const answer = await at.send<Refusal>('GET', `/v1/${path}/${id}`, undefined, { apikey: stranger });
        expect([answer.status, answer.body.code]).toEqual([404, 'unknown-run']);
        texts.push(answer.body.detail.replace(id, 'ID'));
      }
      expect(texts[0]).toBe(texts[1]);
    }
    expect((await at.status(runId)).status).toBe('queued');
  });
});

it('a key needs video:write to start and cancel, and video:read for the status', async () => {
  const { body: { run_id: runId } } = await at.create({ media_url: mediaUrl });
  const reader = { apikey: 'acme:video:read' };
  const writer = { apikey: 'acme:video:write' };
  expect((await at.create({ media_url: mediaUrl }, reader)).status).toBe(403);
  expect((await at.send('GET', `/v1/cancel/${runId}`, undefined, reader)).status).toBe(403);
  expect((await at.send('GET', `/v1/status/${runId}`, undefined, writer)).status).toBe(403);
  expect((await at.send('GET', `/v1/status/${runId}`, undefined, reader)).status).toBe(200);
  expect((await at.create({ media_url: mediaUrl }, writer)).status).toBe(202);
});
