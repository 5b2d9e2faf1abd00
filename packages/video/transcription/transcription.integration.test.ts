import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatWav } from '../engine/sound/formatWav.ts';
import type { MediaInfo } from '../engine/media/mediaInfo.ts';
import { parseSubtitles } from '../engine/selection/subtitles.ts';
import { makeFixture } from '../engine/testing/clips/makeFixture.ts';
import { MediaTestServer } from '../testing/mediaTestServer.ts';
import { TranscriptionTestServer } from '../testing/transcriptionTestServer.ts';
import { VideoTestServer } from '../testing/videoTestServer.ts';
import { transcribeSound } from './transcribeSound.ts';

const options = { duration: 4, width: 96, height: 54, min_segment_duration: 0.5, outputs: ['poster'] };
const key = 'planted-transcription-key';
let service: TranscriptionTestServer;
let media: MediaTestServer;
let at: VideoTestServer;
let clip: string;

beforeAll(async () => {
  service = await TranscriptionTestServer.start();
  media = await MediaTestServer.start();
  at = await VideoTestServer.start([media.address], { video_transcription_url: `${service.url}/`, video_transcription_key: key, video_transcription_model: 'small' });
  clip = await media.serve('/film.mp4', await makeFixture({ seconds: 5, cuts: [1, 2, 3, 4], sound: { from: 2.5, to: 4.5, part: false } }), { etag: '"v1"' });
  await at.work();
});

afterAll(async () => {
  await at.close();
  await media.close();
  await service.close();
});

it('gives segments and captions the text of the sound, once for all runs of a video', async () => {
  const run = await at.run({ media_url: clip, options: { ...options, outputs: ['captions'], subtitles_language: 'ger' } });
  expect(run, JSON.stringify(run.error)).toMatchObject({ status: 'completed', warnings: [] });
  expect(Object.keys(run.timings)).toContain('subtitles');
  expect(service.calls).toEqual([{ key: `Bearer ${key}`, fields: { model: 'small', response_format: 'verbose_json', language: 'de' }, seconds: 5 }]);
  const spoken = run.segments.filter(({ text }) => text !== null);
  expect(spoken.map(({ text }) => text)).toContain('a tone');
  for (const { start, end } of spoken) expect(start < 4.5 && end > 2.5).toBe(true);
  const captions = await (await at.open(run.outputs.find(({ kind }) => kind === 'captions')?.url ?? '')).text();
  expect(captions).toContain('a tone');
  expect(captions).not.toContain('Thank you');
  const again = await at.run({ media_url: clip, options: { ...options, duration: 3.5 }, cache_id: run.run_id });
  expect(again).toMatchObject({ status: 'completed', cache: { hit: true } });
  expect(again.segments.some(({ text }) => text === 'a tone')).toBe(true);
  expect(service.calls).toHaveLength(1);
});

it('asks again if the service is busy, and makes the preview without text if it refuses', async () => {
  const before = service.calls.length;
  service.refusals.push({ status: 503, body: '' }, { status: 401, body: `{"error":"${key} is wrong"}` });
  const run = await at.run({ media_url: clip, options });
  expect(service.calls.length - before).toBe(2);
  expect(run).toMatchObject({ status: 'completed', warnings: [{ code: 'transcription-unavailable', detail: expect.stringMatching(/^The preview was made without a transcription\. 127\.0\.0\.1:\d+ refused the key of VOUCH_VIDEO_TRANSCRIPTION_KEY \(401\)\.$/) as string }] });
  service.refusals.push({ status: 200, body: '{"text":"no times"}' });
  const untimed = await at.run({ media_url: clip, options, cache_id: run.run_id });
  expect(untimed.warnings).toMatchObject([{ code: 'transcription-unavailable', detail: expect.stringContaining('verbose_json') as string }]);
});

it('ends with a run that is cancelled', async () => {
  const before = service.calls.length;
  service.refusals.push({ status: 0, body: '' });
  const { body: { run_id: id } } = await at.create({ media_url: clip, options });
  await at.until(id, () => service.calls.length > before);
  expect(await at.status(id)).toMatchObject({ status: 'running', stage: 'subtitles' });
  await at.send('GET', `/v1/cancel/${id}`);
  expect(await at.until(id)).toMatchObject({ status: 'cancelled', error: null });
});

it('sends no sound of a video that has subtitles, or no sound', async () => {
  const before = service.calls.length;
  const cues = [{ start: 0.2, end: 1.8, text: 'written words' }];
  const subtitled = await media.serve('/subtitled.mkv', await makeFixture({ container: 'mkv', subtitles: [{ codec: 'subrip', language: 'eng', cues }] }));
  const silent = await media.serve('/silent.mp4', await makeFixture({ sound: null }));
  const short = { ...options, duration: 1 };
  expect((await at.run({ media_url: subtitled, options: short })).segments.map(({ text }) => text)).toContain('written words');
  expect(await at.run({ media_url: silent, options: short })).toMatchObject({ status: 'completed', warnings: [] });
  expect(service.calls).toHaveLength(before);
});

it('puts the text of later parts at their place, and keeps the text before a fault', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-transcription-'));
  const rate = 16_000;
  const transcribe = () => transcribeSound({
    settings: { ...at.settings, video_transcription_url: service.url }, timers: systemInterfaces.timers, info: { duration: 12, audio: {} } as MediaInfo, language: null, folder,
    begun: null, keep: async () => {}, signal: new AbortController().signal, progress: () => {},
    async take({ from, file }) {
      await writeFile(file, formatWav(new Int16Array(6 * rate).fill(9_000, rate, 2 * rate), rate));
      return { to: from + 6 };
    },
  });
  const cues = [{ start: 1, end: 2, text: 'a tone' }, { start: 7, end: 8, text: 'a tone' }];
  const { text, ...rest } = await transcribe();
  expect(rest).toEqual({ warnings: [], whole: true });
  expect(parseSubtitles(text)).toEqual(cues);
  const first = service.calls.length;
  service.refusals.push(...[200, 400].map((status) => ({ status, body: status === 200 ? JSON.stringify({ segments: [cues[0]] }) : `no model for ${key}` })));
  const broken = await transcribe();
  expect(service.calls.length - first).toBe(2);
  expect(broken).toMatchObject({ whole: false, warnings: [{ code: 'transcription-unavailable', detail: expect.stringMatching(/^The sound after 6 s was not transcribed\. 127\.0\.0\.1:\d+ answered 400: no model for …\.$/) as string }] });
  expect(parseSubtitles(broken.text)).toEqual(cues.slice(0, 1));
  expect((await readFile(join(folder, 'speech.wav'))).length).toBe(44 + 12 * rate);
  await rm(folder, { recursive: true });
});
