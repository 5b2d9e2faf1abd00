import { readFile } from 'node:fs/promises';
import { collectBlobs } from '@vouch/platform/blobs/collectBlobs';
import { claimStore } from '@vouch/platform/blobs/storeOwner';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { makeFixture } from '../engine/testing/clips/makeFixture.ts';
import { video } from '../product.ts';
import { MediaTestServer } from '../testing/mediaTestServer.ts';
import type { RunRecord } from './run.schema.ts';
import { stranger, VideoTestServer } from '../testing/videoTestServer.ts';

const options = { duration: 2, width: 96, height: 54, min_segment_duration: 0.5, max_segment_duration: 1.2, analysis: 'balanced', outputs: ['mp4'] } as const;
let media: MediaTestServer;
let at: VideoTestServer;
let film: Buffer;
let other: Buffer;
let url: string;
let first: RunRecord;

beforeAll(async () => {
  media = await MediaTestServer.start();
  at = await VideoTestServer.start([media.address]);
  film = await readFile(await makeFixture({ seconds: 6, cuts: [2, 4] }));
  other = await readFile(await makeFixture({ seconds: 6, cuts: [2, 4], sound: null }));
  url = `${media.url}/film.mp4`;
  media.files.set('/film.mp4', { content: film, etag: '"v1"' });
  await at.work();
  first = await at.run({ media_url: url, options });
  expect(first.status, JSON.stringify(first.error)).toBe('completed');
});

beforeEach(() => {
  media.files.set('/film.mp4', { content: film, etag: '"v1"' });
  media.calls.length = 0;
});

afterAll(async () => {
  await at.close();
  await media.close();
});

/** Starts a run with the first run as its cache, and counts the downloads of the media. */
async function again(changes: { media_url?: string; cache_id?: string; options?: object } = {}): Promise<{ run: RunRecord; fetched: number }> {
  const run = await at.run({ media_url: url, cache_id: first.run_id, ...changes, options: { ...options, ...changes.options } });
  return { run, fetched: media.calls.filter(({ method }) => method === 'GET').length };
}

function previewOf(run: RunRecord): Promise<Buffer> {
  return at.open(run.outputs[0]?.url ?? '').then(async (answer) => Buffer.from(await answer.arrayBuffer()));
}

async function piecesOf({ run_id: runId }: RunRecord): Promise<{ name: string; blob: string }[]> {
  return (await at.platform.database.query<{ name: string; blob: string }>(
    'SELECT name, blob FROM video_pieces WHERE run_id = $1 ORDER BY name', [runId])).rows;
}

describe('a run that names an earlier one of the same media', () => {
  it('fetches, probes and analyses nothing, and encodes no piece again', async () => {
    const { run, fetched } = await again();
    expect([run.status, run.cache, run.warnings, fetched]).toEqual(['completed', { id: first.run_id, hit: true }, [], 0]);
    expect([run.source, run.engine, run.segments, run.shots_count]).toEqual([first.source, first.engine, first.segments, first.shots_count]);
    expect(await piecesOf(run)).toEqual(await piecesOf(first));
    expect((await previewOf(run)).equals(await previewOf(first))).toBe(true);
  });

  exhaustiveTest('takes the preview that was kept; without it, joins the pieces that were kept, not new ones', async () => {
    const { rows } = await at.platform.database.query<{ blob: string }>("SELECT blob FROM video_outputs WHERE run_id = $1 AND kind = 'mp4'", [first.run_id]);
    const videos = (await piecesOf(first)).filter(({ name }) => name.endsWith('.mp4'));
    const whole = videos.find(({ blob }) => blob === rows[0]?.blob);
    const [one, two] = videos.filter((piece) => piece !== whole);
    if (whole === undefined || one === undefined || two === undefined) throw new Error('a preview and two pieces of it are not kept');
    const keep = (name: string, blob: string) =>
      at.platform.database.query('UPDATE video_pieces SET blob = $3 WHERE run_id = $1 AND name = $2', [first.run_id, name, blob]);
    try {
      await keep(whole.name, one.blob);
      expect((await previewOf((await again()).run)).equals(await previewOf(first))).toBe(false);
      await at.platform.database.query('DELETE FROM video_pieces WHERE run_id = $1 AND name = $2', [first.run_id, whole.name]);
      await keep(one.name, two.blob);
      await keep(two.name, one.blob);
      expect((await previewOf((await again()).run)).equals(await previewOf(first))).toBe(false);
    } finally {
      await keep(one.name, one.blob);
      await keep(two.name, two.blob);
      await at.platform.database.query(
        'INSERT INTO video_pieces (run_id, name, blob) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [first.run_id, whole.name, whole.blob]);
      await keep(whole.name, whole.blob);
    }
  });

  exhaustiveTest('may choose other segments', async () => {
    const { run, fetched } = await again({ options: { max_segments: 1, max_segment_duration: 2 } });
    expect([run.status, run.cache.hit, fetched]).toEqual(['completed', true, 0]);
    expect([run.segments.length, first.segments.length > 1]).toEqual([1, true]);
  });

  exhaustiveTest('needs no server for it', async () => {
    media.files.delete('/film.mp4');
    const { run, fetched } = await again();
    expect([run.status, run.cache.hit, fetched]).toEqual(['completed', true, 0]);
  });

  it('may name it under another address: the content decides', async () => {
    media.files.set('/moved.mp4', { content: film });
    const { run, fetched } = await again({ media_url: `${media.url}/moved.mp4` });
    expect([run.status, run.cache.hit, run.warnings, fetched]).toEqual(['completed', true, [], 1]);
  });
});

describe('where the cache cannot be used, the run goes on without it and says why', () => {
  it.each<[string, string, () => Promise<object> | object]>([
    ['no run has the id', 'cache-unknown', () => ({ cache_id: '00000000-0000-4000-8000-000000000000' })],
    ['the id is none', 'cache-unknown', () => ({ cache_id: 'film' })],
    ['the run is of another organization', 'cache-unknown', async () => ({ cache_id: await foreignRun() })],
    ['the run never came to an analysis', 'cache-empty', async () => ({ cache_id: (await at.run({ media_url: `${media.url}/nothing` })).run_id })],
    ['the media is another one', 'cache-other-media', () => {
      media.files.set('/other.mp4', { content: other });
      return { media_url: `${media.url}/other.mp4` };
    }],
    ['the media has changed at its address', 'cache-other-media', () => {
      media.files.set('/film.mp4', { content: other, etag: '"v2"' });
      return {};
    }],
  ])('%s', async (_name, code, changes) => {
    const { cache, warnings } = await beginning(await changes());
    expect([cache.hit, warnings.map((warning) => warning.code)]).toEqual([false, [code]]);
    expect(warnings[0]?.detail.length).toBeGreaterThan(40);
  });

  exhaustiveTest('the analysis is less thorough than what is asked for, and the run completes', async () => {
    const { run } = await again({ options: { analysis: 'accurate' } });
    expect([run.status, run.cache.hit, run.warnings.map(({ code }) => code), run.engine?.analysis]).toEqual(['completed', false, ['cache-less-thorough'], 'accurate']);
    expect(run.warnings[0]?.detail.length).toBeGreaterThan(40);
  });

  it('says the same of a foreign run and of one that nobody has', async () => {
    const details: string[] = [];
    for (const id of [await foreignRun(), '00000000-0000-4000-8000-000000000000']) {
      details.push(JSON.stringify((await beginning({ cache_id: id })).warnings).replace(id, 'ID'));
    }
    expect(details[0]).toBe(details[1]);
  });

  /** Returns the record as soon as the use of the cache is decided, then cancels the run. */
  async function beginning(changes: { cache_id?: string; options?: object }): Promise<RunRecord> {
    const { body } = await at.create({ media_url: url, cache_id: first.run_id, ...changes, options: { ...options, ...changes.options } });
    const record = await at.until(body.run_id, ({ cache, completed_at: end }) => cache.hit !== null || end !== null);
    await at.send('GET', `/v1/cancel/${body.run_id}`);
    await at.until(body.run_id);
    return record;
  }

  async function foreignRun(): Promise<string> {
    const { body } = await at.create({ media_url: url, options }, { apikey: stranger });
    await at.send('GET', `/v1/cancel/${body.run_id}`, undefined, { apikey: stranger });
    await at.platform.database.query(
      `UPDATE video_runs SET (info, analysis, media_blob, media_etag, kept_until) =
         (SELECT info, analysis, media_blob, media_etag, kept_until FROM video_runs WHERE run_id = $2)
       WHERE run_id = $1`, [body.run_id, first.run_id]);
    return body.run_id;
  }
});

exhaustiveTest('media and pieces are collected when their time is over, files and analyses stay', async () => {
  const { database, blobs, clock } = at.platform;
  await database.query("UPDATE video_runs SET kept_until = now() - interval '1 second'");
  const names = async (): Promise<Set<string>> => {
    const found = new Set<string>();
    for await (const { name } of blobs.list()) found.add(name);
    return found;
  };
  const [row] = (await database.query<{ media_blob: string; analysis: { blob: string } }>(
    'SELECT media_blob, analysis FROM video_runs WHERE run_id = $1', [first.run_id])).rows;
  const { rows: outputs } = await database.query<{ blob: string }>('SELECT blob FROM video_outputs');
  // A preview is also stored as a piece, under the same blob.
  const pieces = (await piecesOf(first)).map(({ blob }) => blob).filter((blob) => !outputs.some((output) => output.blob === blob));
  const collect = (afterMs: number) => collectBlobs({
    ...at.platform, clock: { now: () => clock.now() + afterMs }, references: [video.blobReferences], graceMs: 0, restMs: 0,
  });
  await claimStore(at.platform);
  await collect(1_000);
  await collect(2_000);
  const left = await names();
  expect([left.has(row?.media_blob ?? ''), left.has(row?.analysis.blob ?? '')]).toEqual([false, true]);
  expect([pieces.length > 0, pieces.filter((blob) => left.has(blob))]).toEqual([true, []]);
  expect((await at.open(first.outputs[0]?.url ?? '')).status).toBe(200);
  media.calls.length = 0;
  const { run: later, fetched } = await again();
  expect([later.status, later.cache.hit, later.warnings, fetched]).toEqual(['completed', true, [], 1]);
});
