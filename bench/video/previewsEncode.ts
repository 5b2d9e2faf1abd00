import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { framesPerSecond } from './eventsScript.ts';
import type { Film } from './previewsFilm.ts';
import { pictureHeight, pictureWidth, sampleRate } from './previewsMaterial.ts';
import { joinSound } from './previewsMeasure.ts';
import { runFfmpeg } from './runFfmpeg.ts';

/** An encoding of a composed film. */
interface Encoding {
  name: string;
  container: string;
  video: readonly string[];
  sound: string;
}

/** Encodings that differ in codec, key frames and frame order. The order of the list is the order of the report. */
export const filmEncodings: readonly Encoding[] = [
  { name: 'H.264, B-frames, GOP to 250', container: 'mp4', video: ['-c:v', 'libx264', '-preset', 'medium', '-bf', '3', '-g', '250'], sound: 'aac' },
  { name: 'H.264, no B-frames, fixed GOP of 30', container: 'mp4', video: ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '28', '-bf', '0', '-g', '30', '-keyint_min', '30', '-sc_threshold', '0'], sound: 'aac' },
  { name: 'VP9, GOP to 128', container: 'webm', video: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '6', '-b:v', '300k', '-g', '128'], sound: 'libopus' },
];

/**
 * Encodes a film with the installed ffmpeg, because the product's encoder intentionally lacks these settings. An encoded film
 * in `folder` is used again.
 * @throws Error with the messages of ffmpeg
 */
export async function encodeFilm(film: Film, encoding: Encoding, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const name = `${film.name}-${filmEncodings.indexOf(encoding)}`;
  const output = join(folder, `${name}.${encoding.container}`);
  if (existsSync(output)) return output;
  const sound = join(folder, `${film.name}.pcm`);
  await writeFile(sound, joinSound(film));
  const part = join(folder, `${name}.part.${encoding.container}`);
  await runFfmpeg([
    '-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${pictureWidth}x${pictureHeight}`, '-r', String(framesPerSecond), '-i', 'pipe:0',
    '-f', 's16le', '-ar', String(sampleRate), '-ac', '1', '-i', sound, ...encoding.video, '-c:a', encoding.sound, part,
  ], film.shots.flatMap(({ pictures }) => pictures));
  await rename(part, output);
  return output;
}
