import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { decodeFrameNumber } from '../clips/pattern.ts';
import type { MediaBackend, MediaLimits, Picture, PictureRequest, SoundRequest } from '../../media/mediaBackend.ts';

/** Limits that no fixture reaches. */
export const testLimits: MediaLimits = {
  memoryBytes: 2e9, wallMs: 60_000, cpuSeconds: 60, diskBytes: 1e8, pixels: 36_000_000, threads: 2, niceness: 0,
};

/** A backend with everything that the shared tests need. */
export interface MediaUnderTest {
  backend: MediaBackend;
  /** The same backend with other limits. */
  withLimits(limits: Partial<MediaLimits>): Promise<MediaBackend>;
  /** Scratch folder of the suite. */
  folder: string;
  close(): Promise<void>;
}

/** Opens a backend with the limits `testLimits` and a scratch folder. */
export async function openUnderTest(open: (limits: MediaLimits) => Promise<MediaBackend>): Promise<MediaUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-media-'));
  return {
    backend: await open(testLimits),
    withLimits: (limits) => open({ ...testLimits, ...limits }),
    folder,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

export const never = new AbortController().signal;

/** A decoded picture as seen by a test: its time and the frame number that the picture shows. */
interface SeenPicture {
  time: number;
  number: number;
}

/** Decodes pictures of a fixture and reads their frame numbers. */
export async function seePictures(backend: MediaBackend, path: string, request: Partial<PictureRequest> = {}): Promise<SeenPicture[]> {
  const info = request.info ?? await backend.probe(path, never);
  const { width, height } = info.video;
  const seen: SeenPicture[] = [];
  for await (const { time, data } of backend.pictures({ path, info, width, height, format: 'yuv420p', skip: 'none', signal: never, ...request })) {
    seen.push({ time, number: decodeFrameNumber(data, request.width ?? width, request.height ?? height) });
  }
  return seen;
}

/** Compares pictures. Pixels are compared as buffers, because `toEqual` compares byte by byte, which takes seconds. */
export function expectSame(found: readonly Picture[], expected: readonly Picture[]): void {
  expect(found.map(({ time }) => time)).toEqual(expected.map(({ time }) => time));
  expect(found.findIndex(({ data }, at) => !Buffer.from(data).equals(expected[at]!.data))).toBe(-1);
}

/** Returns all samples of a request in one array. */
export async function hear(backend: MediaBackend, path: string, request: Partial<SoundRequest> = {}): Promise<Int16Array> {
  const info = request.info ?? await backend.probe(path, never);
  const parts: Int16Array[] = [];
  for await (const part of backend.sound({ path, info, sampleRate: 48_000, channels: 1, signal: never, ...request })) parts.push(part);
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Root mean square of the samples between two times, seconds. */
export function loudness(samples: Int16Array, from: number, to: number, sampleRate = 48_000): number {
  const part = samples.subarray(Math.round(from * sampleRate), Math.round(to * sampleRate));
  return Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / Math.max(1, part.length));
}

/** Ids of living processes that this process started. */
export function livingChildren(): number[] {
  return readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)).map(Number).filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(parent) === process.pid && state !== 'Z';
    } catch {
      return false;
    }
  });
}
