import { skipOptions } from '../frameSkipping.ts';
import type { MediaLimits, Picture, PictureRequest, PictureStream } from '../mediaBackend.ts';
import { mediaFault } from '../mediaFault.ts';
import { clean, fileUrl, fromZero, guards, quiet, secondsText } from './commandLine.ts';
import { countDamage } from './damage.ts';
import { startFfmpeg, type FfmpegTools } from './ffmpegChild.ts';
import { copyKeyPackets, keyFilter, keyPacketInput, turnFilters } from './keyPackets.ts';
import { readNut } from './nutReader.ts';
import { seekBefore } from './seeking.ts';

/** Decodes through ffmpeg's NUT muxer into our pipe: raw pictures with their exact times. */
export function readPictures(tools: FfmpegTools, request: PictureRequest): PictureStream {
  const damage = countDamage();
  return { damaged: damage.count, [Symbol.asyncIterator]: () => decode(tools, request, damage.hear) };
}

async function* decode(tools: FfmpegTools, request: PictureRequest, heardStderr: (chunk: Buffer) => void): AsyncGenerator<Picture> {
  const { path, signal, from = 0, to = Number.POSITIVE_INFINITY } = request;
  const fed = keyFilter(request) === 'another ffmpeg';
  const decoder = startFfmpeg(tools, { args: pictureArguments(tools, request), stdin: fed ? 'pipe' : 'none', stdout: 'pipe', heardStderr, signal });
  const children = fed ? [copyKeyPackets(tools, request, decoder), decoder] : [decoder];
  let last = Number.NEGATIVE_INFINITY;
  try {
    for await (const { time, data } of readNut(decoder.stdout ?? [])) {
      // Times that stand still or run back come from broken containers; everything later counts on their order.
      if (time <= last || time < from - halfMillisecond || time >= to - halfMillisecond) continue;
      last = time;
      yield { time, data };
    }
    await decoder.done;
  } catch (error) {
    const failure = await decoder.done.then(() => error, (reason: unknown) => reason);
    throw mediaFault(failure, { path, signal, failing: 'cannot be decoded', code: last > Number.NEGATIVE_INFINITY ? 'decoder-failed' : 'damaged-media' });
  } finally {
    // Also where the receiver wants no more; what has ended already hears nothing of it.
    for (const child of children) child.stop({ kind: 'cancelled' });
    await Promise.allSettled(children.map(({ done }) => done));
  }
}

/** Callers compute times in floating point and FFmpeg counts whole microseconds; no two frames are closer than this. */
export const halfMillisecond = 5e-4;

function pictureArguments({ programs, limits }: FfmpegTools, request: PictureRequest): string[] {
  const { from = 0, to } = request;
  return [
    ...quiet, ...pictureInput(limits, request), '-an', '-sn', '-dn', ...clean,
    '-vf', pictureFilters(request, from, to).join(','),
    '-fps_mode', 'passthrough', '-enc_time_base', programs.major >= 7 ? 'demux' : '-1',
    '-c:v', 'rawvideo', '-max_error_rate', '1', '-avoid_negative_ts', 'disabled', '-f', 'nut', 'pipe:1',
  ];
}

function pictureInput(limits: MediaLimits, request: PictureRequest): string[] {
  const { path, info, skip, from } = request;
  const threads = ['-threads', String(limits.threads)];
  const filter = keyFilter(request);
  if (filter === 'another ffmpeg') {
    return [...keyPacketInput, '-max_pixels', String(limits.pixels), ...threads, '-copyts', '-i', 'pipe:0', '-map', '0:0'];
  }
  const speed = Object.entries(skipOptions(info.video.codec, skip)).flatMap(([name, value]) => [`-${name}`, value]);
  return [
    ...guards(info.container, limits), ...threads, ...(filter === 'demuxer' ? ['-discard:v', 'nokey'] : speed),
    ...seekBefore(info, from), ...fromZero(info), '-i', fileUrl(path), '-map', `0:${info.video.stream}`,
  ];
}

function pictureFilters(request: PictureRequest, from: number, to: number | undefined): string[] {
  const { info, width, height, format } = request;
  const end = to === undefined ? '' : `:end=${secondsText(to - halfMillisecond)}`;
  return [
    `trim=start=${secondsText(Math.max(0, from - halfMillisecond))}${end}`,
    ...(keyFilter(request) === 'another ffmpeg' ? turnFilters(info.video.rotation) : []),
    // These flags give the same pixels on every processor and version.
    `scale=${width}:${height}:flags=area+accurate_rnd+full_chroma_int+bitexact:out_range=tv`,
    `format=${format}`,
  ];
}
