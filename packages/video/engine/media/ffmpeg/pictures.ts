import type { Picture, PictureRequest, PictureStream } from '../mediaBackend.ts';
import { mediaFault } from '../mediaFault.ts';
import { clean, fileUrl, fromZero, guards, quiet, secondsText } from './commandLine.ts';
import { countDamage } from './damage.ts';
import { startFfmpeg, type FfmpegTools } from './ffmpegChild.ts';
import { readNut } from './nutReader.ts';
import { seekBefore } from './seeking.ts';

const skipFrame = { none: 'default', 'non-reference': 'noref', bidirectional: 'bidir', 'non-key': 'nokey' } as const;

/** Decodes through ffmpeg's NUT muxer into our pipe: raw pictures with their exact times. */
export function readPictures(tools: FfmpegTools, request: PictureRequest): PictureStream {
  const damage = countDamage();
  return { damaged: damage.count, [Symbol.asyncIterator]: () => decode(tools, request, damage.hear) };
}

async function* decode(tools: FfmpegTools, request: PictureRequest, heardStderr: (chunk: Buffer) => void): AsyncGenerator<Picture> {
  const { path, signal, from = 0, to = Number.POSITIVE_INFINITY } = request;
  const child = startFfmpeg(tools, { args: pictureArguments(tools, request), stdout: 'pipe', heardStderr, signal });
  let last = Number.NEGATIVE_INFINITY;
  let ended = false;
  try {
    if (child.stdout !== null) {
      for await (const { time, data } of readNut(child.stdout)) {
        // Times that stand still or run back come from broken containers; everything later counts on their order.
        if (time <= last || time < from - halfMillisecond || time >= to - halfMillisecond) continue;
        last = time;
        yield { time, data };
      }
    }
    await child.done;
    ended = true;
  } catch (error) {
    ended = true;
    child.stop({ kind: 'cancelled' });
    const failure = await child.done.then(() => error, (reason: unknown) => reason);
    throw mediaFault(failure, { path, signal, failing: 'cannot be decoded', code: last > Number.NEGATIVE_INFINITY ? 'decoder-failed' : 'damaged-media' });
  } finally {
    if (!ended) {
      child.stop({ kind: 'cancelled' });
      await child.done.catch(() => {});
    }
  }
}

/** Callers compute times in floating point and FFmpeg counts whole microseconds; no two frames are closer than this. */
export const halfMillisecond = 5e-4;

function pictureArguments({ programs, limits }: FfmpegTools, request: PictureRequest): string[] {
  const { path, info, skip, from, to } = request;
  const speed = skip === 'none' ? [] : ['-skip_frame', skipFrame[skip], '-skip_loop_filter', skip === 'non-key' ? 'default' : 'all'];
  return [
    ...quiet,
    ...guards(info.container, limits), '-threads', String(limits.threads), ...speed,
    ...seekBefore(info, from),
    ...fromZero(info), '-i', fileUrl(path),
    '-map', `0:${info.video.stream}`, '-an', '-sn', '-dn', ...clean,
    '-vf', pictureFilters(request, from ?? 0, to).join(','),
    '-fps_mode', 'passthrough', '-enc_time_base', programs.major >= 7 ? 'demux' : '-1',
    '-c:v', 'rawvideo', '-max_error_rate', '1', '-avoid_negative_ts', 'disabled', '-f', 'nut', 'pipe:1',
  ];
}

function pictureFilters({ width, height, format }: PictureRequest, from: number, to: number | undefined): string[] {
  const end = to === undefined ? '' : `:end=${secondsText(to - halfMillisecond)}`;
  return [
    `trim=start=${secondsText(Math.max(0, from - halfMillisecond))}${end}`,
    // These flags give the same pixels on every processor and version.
    `scale=${width}:${height}:flags=area+accurate_rnd+full_chroma_int+bitexact:out_range=tv`,
    `format=${format}`,
  ];
}
