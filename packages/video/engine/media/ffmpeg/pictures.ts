import { skipOptions } from '../frameSkipping.ts';
import type { MediaLimits, Picture, PictureRequest, PictureStream, Stretch } from '../mediaBackend.ts';
import type { MediaInfo } from '../mediaInfo.ts';
import { mediaFault } from '../mediaFault.ts';
import { clean, fileUrl, fromZero, guards, quiet, secondsText } from './commandLine.ts';
import { countDamage } from './damage.ts';
import { startFfmpeg, type FfmpegTools } from './ffmpegChild.ts';
import { copyKeyPackets, keyFilter, keyPacketInput, turnFilters } from './keyPackets.ts';
import { parseNut } from './parseNut.ts';
import { noMapping, scaledTo, toneMapping } from './scaling.ts';
import { seekBefore } from './seeking.ts';

/** Decodes through ffmpeg's NUT muxer into our pipe: raw pictures with their exact times. */
export function decodePictures(tools: FfmpegTools, request: PictureRequest): PictureStream {
  const damage = countDamage();
  return { damaged: damage.count, [Symbol.asyncIterator]: () => decode(tools, request, damage.hear) };
}

async function* decode(tools: FfmpegTools, request: PictureRequest, heardStderr: (chunk: Buffer) => void): AsyncGenerator<Picture> {
  if (request.stretches === undefined) return yield* decodePart(tools, request, heardStderr);
  const { stretches, ...rest } = request;
  for (let first = 0; first < stretches.length; first += stretchesAtOnce) {
    const some = stretches.slice(first, first + stretchesAtOnce);
    yield* decodePart(tools, { ...rest, from: some[0]!.from, to: some.at(-1)!.to, ...(some.length > 1 ? { stretches: some } : {}) }, heardStderr);
  }
}

/** One process opens the file at most this many times; a decoder of 1080p takes 60 MB. */
const stretchesAtOnce = 6;

async function* decodePart(tools: FfmpegTools, request: PictureRequest, heardStderr: (chunk: Buffer) => void): AsyncGenerator<Picture> {
  const { path, signal, from = 0, to = Number.POSITIVE_INFINITY } = request;
  const fed = keyFilter(request) === 'another ffmpeg';
  // Analysis compares pictures with one another and needs no right colours; stills are looked at.
  const toneMap = request.info.video.highDynamicRange && request.format === 'rgb24' ? toneMapping(await tools.programs.filters()) : noMapping;
  const decoder = startFfmpeg(tools, { args: pictureArguments(tools, request, toneMap), stdin: fed ? 'pipe' : 'none', stdout: 'pipe', heardStderr, signal });
  const children = fed ? [copyKeyPackets(tools, request, decoder), decoder] : [decoder];
  let last = Number.NEGATIVE_INFINITY;
  try {
    for await (const { time, data } of parseNut(decoder.stdout ?? [])) {
      // Broken containers have times that repeat or run backwards; all later code relies on ascending times.
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

function pictureArguments(tools: FfmpegTools, request: PictureRequest, toneMap: readonly string[]): string[] {
  return request.stretches === undefined
    ? [...quiet, ...pictureInput(tools.limits, request), ...pictureOutput(tools, request, toneMap)]
    : stretchArguments(tools, request, request.stretches, toneMap);
}

/** Each stretch is an input of its own; the filter that joins them counts microseconds. */
function stretchArguments(tools: FfmpegTools, request: PictureRequest, stretches: readonly Stretch[], toneMap: readonly string[]): string[] {
  const { stream } = request.info.video;
  const runs = stretches.map(({ from, to }, index) => `[${index}:${stream}]${pictureFilters({ ...request, from, to }, toneMap).join(',')}[run${index}]`);
  const joined = `${stretches.map((_, index) => `[run${index}]`).join('')}interleave=nb_inputs=${stretches.length}[out]`;
  return [
    ...quiet, ...stretches.flatMap(({ from }) => pictureInput(tools.limits, { ...request, from }).slice(0, -2)),
    '-filter_complex', [...runs, joined].join(';'), '-map', '[out]', '-an', '-sn', '-dn', ...clean, ...rawPictures('1:1000000'),
  ];
}

/** The output options of pictures, into standard output. */
export function pictureOutput(tools: FfmpegTools, request: PictureRequest, toneMap = noMapping): string[] {
  return [
    '-an', '-sn', '-dn', ...clean,
    // More threads for one small filter cost more than they give: 0.1 of 1.9 s.
    '-filter_threads', '1', '-vf', pictureFilters(request, toneMap).join(','), ...rawPictures(tools.programs.major >= 7 ? 'demux' : '-1'),
  ];
}

function rawPictures(timeBase: string): string[] {
  return [
    '-fps_mode', 'passthrough', '-enc_time_base', timeBase,
    '-c:v', 'rawvideo', '-max_error_rate', '1', '-avoid_negative_ts', 'disabled', '-f', 'nut', 'pipe:1',
  ];
}

function pictureInput(limits: MediaLimits, request: PictureRequest): string[] {
  const { path, info, skip, from, fromKey, threads: count = limits.threads } = request;
  const threads = ['-threads', String(count)];
  const filter = keyFilter(request);
  if (filter === 'another ffmpeg') {
    return [...keyPacketInput, '-max_pixels', String(limits.pixels), ...threads, '-copyts', '-i', 'pipe:0', '-map', '0:0'];
  }
  const speed = Object.entries(skipOptions(info.video.codec, reordersUntold(info) ? 'none' : skip)).flatMap(([name, value]) => [`-${name}`, value]);
  return [
    ...guards(info.container, limits), ...threads, ...(filter === 'demuxer' ? ['-discard:v', 'nokey'] : speed),
    ...seekBefore(info, from, fromKey), ...fromZero(info), '-i', fileUrl(path), '-map', `0:${info.video.stream}`,
  ];
}

/** AVI has no presentation times. FFmpeg counts frames instead, which is wrong if the decoder skips frames of a stream with B-frames. */
function reordersUntold({ container, video }: MediaInfo): boolean {
  return container === 'avi' && (video.codec === 'h264' || video.codec === 'hevc');
}

function pictureFilters(request: PictureRequest, toneMap: readonly string[]): string[] {
  const { from = 0, to } = request;
  const { info, width, height, format } = request;
  const end = to === undefined ? '' : `:end=${secondsText(to - halfMillisecond)}`;
  return [
    `trim=start=${secondsText(Math.max(0, from - halfMillisecond))}${end}`,
    ...(keyFilter(request) === 'another ffmpeg' ? turnFilters(info.video.rotation) : []),
    ...scaledTo({ width, height, scaling: 'area', toneMap }),
    `format=${format}`,
  ];
}
