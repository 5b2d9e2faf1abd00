import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { openMediaBackend } from '../engine/backend/openMediaBackend.ts';
import { generateClip, type GeneratedClip } from './generateClip.ts';

/** Limits of the encoder process; the clip needs a fraction of them. */
const limits = { memoryBytes: 2 * 2 ** 30, wallMs: 120_000, cpuSeconds: 120, diskBytes: 100_000_000, pixels: 1_000_000, threads: 2, niceness: 0 };

/**
 * Generates the sample clip with the installed FFmpeg, or with the FFmpeg libraries from npm. The file is written atomically.
 *
 * @example
 * const { duration, events } = await writeSampleClip('/tmp/sample.mp4', systemInterfaces.timers);
 *
 * @param path the .mp4 file to write
 * @throws NoMediaBackend if neither is installed
 */
export async function writeSampleClip(path: string, timers: Timers): Promise<GeneratedClip> {
  const backend = await openMediaBackend(process.env['FFMPEG_PATH'], { limits, timers });
  const partial = join(dirname(path), `partial-${basename(path)}`);
  const clip = await generateClip(backend, partial, new AbortController().signal);
  await rename(partial, path);
  return clip;
}
