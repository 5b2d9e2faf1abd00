import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input, type InputTrack } from 'mediabunny';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeFixture } from '../testing/clips/makeFixture.ts';
import { joinStreams } from './joinStreams.ts';

let folder: string;
beforeAll(async () => { folder = await mkdtemp(join(tmpdir(), 'join-')); });
afterAll(() => rm(folder, { recursive: true }));

/** Presentation times of the pictures and of the sound of a file, seconds. */
async function timesOf(path: string): Promise<{ video: number[]; audio: number[] }> {
  const input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(path) });
  const times = async (track: InputTrack | null): Promise<number[]> => {
    const found: number[] = [];
    if (track !== null) for await (const { timestamp } of new EncodedPacketSink(track).packets()) found.push(timestamp);
    return found;
  };
  try {
    return { video: await times(await input.getPrimaryVideoTrack()), audio: await times(await input.getPrimaryAudioTrack()) };
  } finally {
    input.dispose();
  }
}

it.each(['mp4', 'ts'] as const)('pictures and sound of two %s files keep their times to each other, and the same files give the same bytes', async (container) => {
  const both = await makeFixture({ container, startAt: container === 'ts' ? 30 : 0 });
  const output = join(folder, `${container}.mp4`);
  expect(await joinStreams({ video: both, audio: both, output })).toBe(true);
  const [before, after] = [await timesOf(both), await timesOf(output)];
  expect([after.video.length, after.audio.length]).toEqual([before.video.length, before.audio.length]);
  const start = Math.min(before.video[0]!, before.audio[0]!);
  for (const kind of ['video', 'audio'] as const) {
    for (const [index, time] of after[kind].entries()) expect(Math.abs(time - (before[kind][index]! - start))).toBeLessThan(2e-4);
  }
  await joinStreams({ video: both, audio: both, output: `${output}.again` });
  expect((await readFile(`${output}.again`)).equals(await readFile(output))).toBe(true);
});

it('a file without sound, or that cannot be read, cannot be joined', async () => {
  const silent = await makeFixture({ sound: null });
  const output = join(folder, 'none.mp4');
  expect(await joinStreams({ video: silent, audio: silent, output })).toBe(false);
  expect(await joinStreams({ video: silent, audio: new URL(import.meta.url).pathname, output })).toBe(false);
});
