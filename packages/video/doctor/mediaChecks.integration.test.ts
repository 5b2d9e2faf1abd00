import { tmpdir } from 'node:os';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Finding } from '@vouch/platform/product/findings';
import { expect, it } from 'vitest';
import type { VideoSettings } from '../config/videoSettings.ts';
import { TranscriptionTestServer } from '../testing/transcriptionTestServer.ts';
import { mediaChecks } from './mediaChecks.ts';

async function findings(changes: Partial<VideoSettings>): Promise<Finding[]> {
  const settings: VideoSettings = {
    video_concurrency: 1, video_threads: 1, video_memory_mb: 1024, video_max_bytes: 1024, video_uploads_max_bytes: 1_000_000, video_max_seconds: 60, video_run_seconds: 60,
    video_cache_hours: 0, video_niceness: 0, video_s3_region: 'us-east-1', video_transcription_model: 'whisper-1', ...changes,
  };
  return (await Promise.all(mediaChecks({ ...systemInterfaces, scratch: tmpdir() }, settings).map(({ run }) => run()))).flat();
}

it('names the libraries from npm with their version, and the free disk', async () => {
  const [decoder, disk] = await findings({ ffmpeg_path: 'none' });
  expect(decoder).toEqual({ status: 'ok', detail: expect.stringMatching(/FFmpeg \d+\.\d+.* from the npm package node-av/) as string });
  expect(disk?.status).toBe('ok');
});

it('sends a second of silence to the transcription service once, and names its fault', async () => {
  const service = await TranscriptionTestServer.start();
  const find = async (): Promise<Finding | undefined> => (await findings({ ffmpeg_path: 'none', video_transcription_url: service.url }))[1];
  try {
    expect(await find()).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^127\.0\.0\.1:\d+ transcribes$/) as string });
    expect(service.calls).toMatchObject([{ seconds: 1, fields: { model: 'whisper-1' } }]);
    service.refusals.push({ status: 503, body: 'loading' });
    expect(await find()).toMatchObject({ status: 'warning', detail: expect.stringContaining('503: loading') as string });
    expect(service.calls).toHaveLength(2);
    service.refusals.push({ status: 404, body: 'no such model' });
    expect(await find()).toMatchObject({ status: 'warning', detail: expect.stringContaining('404: no such model') as string, remedy: expect.stringContaining('VOUCH_VIDEO_TRANSCRIPTION_MODEL') as string });
  } finally {
    await service.close();
  }
});

it('finds what is at fault, with a remedy', async () => {
  const [decoder, disk] = await findings({ ffmpeg_path: '/nowhere/ffmpeg', video_max_bytes: 10 ** 18 });
  expect(decoder).toMatchObject({ status: 'fault', detail: expect.stringContaining('/nowhere/ffmpeg') as string, remedy: expect.stringContaining('npm ci') as string });
  expect(disk).toMatchObject({ status: 'warning', remedy: expect.stringContaining('VOUCH_VIDEO_MAX_BYTES') as string });
});
