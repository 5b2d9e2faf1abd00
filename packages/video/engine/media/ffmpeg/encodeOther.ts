import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { AnimationRequest, ClipRequest, SoundEncodeRequest, StillRequest } from '../mediaBackend.ts';
import { mediaFault, type MediaWork } from '../mediaFault.ts';
import { clean, fileUrl, guards, quiet } from './commandLine.ts';
import { pictureEncoder } from './encodePiece.ts';
import { runFfmpeg, startFfmpeg, type FfmpegTools } from './ffmpegChild.ts';

/** Encodes raw samples as AAC or Opus. */
export async function encodeSound(tools: FfmpegTools, request: SoundEncodeRequest): Promise<void> {
  const { codec, output, signal } = request;
  const encoder = codec === 'aac' ? ['-c:a', 'aac', '-b:a', '128k', '-f', 'mp4'] : ['-c:a', 'libopus', '-b:a', '112k', '-f', 'webm'];
  await runFfmpeg(tools, [...quiet, ...samplesInput(request), ...clean, ...encoder, '-y', fileUrl(output)], encoding(output, signal));
}

/** Encodes one packed RGB picture as JPEG, PNG or WebP. */
export async function encodeStill(tools: FfmpegTools, { rgb, width, height, output, signal }: StillRequest): Promise<void> {
  const args = [
    ...quiet, '-f', 'rawvideo', '-pixel_format', 'rgb24', '-video_size', `${width}x${height}`, '-i', 'pipe:0',
    '-frames:v', '1', ...clean, ...stillEncoder(output), '-f', 'image2', '-update', '1', '-y', fileUrl(output),
  ];
  await feed(tools, args, [rgb], encoding(output, signal));
}

function stillEncoder(output: string): string[] {
  switch (output.slice(output.lastIndexOf('.'))) {
    case '.jpg':
      return ['-vf', 'scale=flags=bicubic+accurate_rnd+bitexact:out_range=pc', '-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-q:v', '3'];
    case '.png':
      return ['-c:v', 'png'];
    case '.webp':
      return ['-c:v', 'libwebp', '-quality', '80'];
    default:
      throw new Error(`an image file ends in .jpg, .png or .webp; ${output} does not`);
  }
}

/** Encodes an animated picture that repeats forever, from a finished preview. */
export async function encodeAnimation(tools: FfmpegTools, request: AnimationRequest): Promise<void> {
  const { path, width, height, framesPerSecond, output, signal } = request;
  const shape = `fps=${framesPerSecond},scale=${width}:${height}:flags=area+accurate_rnd+bitexact`;
  const encoder = output.endsWith('.gif')
    ? ['-vf', `${shape},split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle`, '-f', 'gif']
    : ['-vf', shape, '-c:v', 'libwebp_anim', '-quality', '70', '-compression_level', '3', '-f', 'webp'];
  await runFfmpeg(tools, [
    ...quiet, ...guards(path.endsWith('.webm') ? 'webm' : 'mp4', tools.limits), '-i', fileUrl(path),
    '-map', '0:V:0', '-an', ...clean, ...encoder, '-loop', '0', '-y', fileUrl(output),
  ], encoding(output, signal));
}

/** Encodes generated pictures and samples as a complete clip. */
export async function encodeClip(tools: FfmpegTools, request: ClipRequest): Promise<void> {
  const { width, height, rate, pictures, sound, output, signal } = request;
  const args = [
    ...quiet, '-f', 'rawvideo', '-pixel_format', 'yuv420p', '-video_size', `${width}x${height}`,
    '-framerate', `${rate.numerator}/${rate.denominator}`, '-i', 'pipe:0', ...(sound === null ? [] : samplesInput(sound)),
    '-map', '0:v', ...(sound === null ? [] : ['-map', '1:a', '-c:a', 'aac', '-b:a', '128k']), ...clean,
    ...pictureEncoder({ rate }, tools.limits.threads, 'libx264'), '-movflags', '+faststart', '-f', 'mp4', '-y', fileUrl(output),
  ];
  await feed(tools, args, pictures, encoding(output, signal));
}

function samplesInput(sound: { samplesFile: string; sampleRate: number; channels: 1 | 2 }): string[] {
  return ['-f', 's16le', '-ar', String(sound.sampleRate), '-ac', String(sound.channels), '-i', fileUrl(sound.samplesFile)];
}

function encoding(path: string, signal: AbortSignal): MediaWork {
  return { path, signal, failing: 'cannot be encoded', code: 'decoder-failed' };
}

/** Runs ffmpeg and writes the chunks to its standard input, no faster than ffmpeg reads. */
async function feed(
  tools: FfmpegTools, args: readonly string[], chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, work: MediaWork,
): Promise<void> {
  const child = startFfmpeg(tools, { args, stdin: 'pipe', signal: work.signal });
  const gone = child.done.then(() => {}, () => {});
  try {
    for await (const chunk of chunks) {
      if (child.stdin === null || !await wrote(child.stdin, chunk, gone)) break;
    }
    child.stdin?.end();
    await child.done;
  } catch (error) {
    child.stop({ kind: 'cancelled' });
    await gone;
    throw mediaFault(error, work);
  }
}

/** @returns false if the child has ended */
async function wrote(stdin: Writable, chunk: Uint8Array, gone: Promise<void>): Promise<boolean> {
  if (stdin.destroyed || stdin.writableEnded) return false;
  if (stdin.write(chunk)) return true;
  await Promise.race([once(stdin, 'drain').catch(() => {}), gone]);
  return !stdin.destroyed;
}
