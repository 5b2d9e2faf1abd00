import { decoderThreads } from '../decoderThreads.ts';
import { skippable, skipOptions } from '../frameSkipping.ts';
import type { MediaLimits, Picture, PictureRequest, PictureStream, Stretch } from '../mediaBackend.ts';
import { mediaFault } from '../mediaFault.ts';
import { halfMillisecond } from '../nearestFrame.ts';
import { clean, fileUrl, fromZero, guards, quiet, secondsText } from './commandLine.ts';
import { countDamage } from './damage.ts';
import { startFfmpeg, type FfmpegTools } from './ffmpegChild.ts';
import { copyKeyPackets, keyFilter, keyPacketInput, turnFilters } from './keyPackets.ts';
import { parseNut } from './parseNut.ts';
import { noMapping, scaledTo, toneMapping } from './scaling.ts';
import { seekBefore } from './seeking.ts';

/** Decodes pictures with ffmpeg, which writes raw pictures with exact times to a pipe in the NUT format. */
export function decodePictures(tools: FfmpegTools, request: PictureRequest): PictureStream {
  const damage = countDamage();
  return { damaged: damage.count, [Symbol.asyncIterator]: () => decode(tools, request, damage.hear) };
}

async function* decode(tools: FfmpegTools, request: PictureRequest, heardStderr: (chunk: Buffer) => void): AsyncGenerator<Picture> {
  if (request.stretches === undefined) return yield* decodePart(tools, request, heardStderr);
  const { stretches, ...rest } = request;
  for (let first = 0; first < stretches.length; first += stretchesAtOnce) {
    const some = stretches.slice(first, first + stretchesAtOnce);
    const { from, fromKey = false } = some[0]!;
    yield* decodePart(tools, { ...rest, from, fromKey, to: some.at(-1)!.to, ...(some.length > 1 ? { stretches: some } : {}) }, heardStderr);
  }
}

/** Maximum number of inputs per process; each decoder of 1080p uses 60 MB. */
const stretchesAtOnce = 6;

async function* decodePart(tools: FfmpegTools, request: PictureRequest, heardStderr: (chunk: Buffer) => void): AsyncGenerator<Picture> {
  const { path, signal, from = 0, to = Number.POSITIVE_INFINITY } = request;
  const fed = keyFilter(request) === 'another ffmpeg';
  // The analysis compares pictures with each other and does not need exact colours; stills (rgb24) are shown to people.
  const toneMap = request.info.video.highDynamicRange && request.format === 'rgb24' ? toneMapping(await tools.programs.filters()) : noMapping;
  const decoder = startFfmpeg(tools, { args: pictureArguments(tools, request, toneMap), stdin: fed ? 'pipe' : 'none', stdout: 'pipe', heardStderr, signal });
  const children = fed ? [copyKeyPackets(tools, request, decoder), decoder] : [decoder];
  let last = Number.NEGATIVE_INFINITY;
  try {
    for await (const { time, data } of parseNut(decoder.stdout ?? [])) {
      // Damaged containers have repeated or decreasing times, and callers rely on ascending times.
      if (time <= last || time < from - halfMillisecond || time >= to - halfMillisecond) continue;
      last = time;
      yield { time, data };
    }
    await decoder.done;
  } catch (error) {
    const failure = await decoder.done.then(() => error, (reason: unknown) => reason);
    throw mediaFault(failure, { path, signal, failing: 'cannot be decoded', code: last > Number.NEGATIVE_INFINITY ? 'decoder-failed' : 'damaged-media' });
  } finally {
    // Also needed if the receiver stops early; children that have ended ignore the call.
    for (const child of children) child.stop({ kind: 'cancelled' });
    await Promise.allSettled(children.map(({ done }) => done));
  }
}

function pictureArguments(tools: FfmpegTools, request: PictureRequest, toneMap: readonly string[]): string[] {
  return request.stretches === undefined
    ? [...quiet, ...pictureInput(tools.limits, request), ...pictureOutput(tools, request, toneMap)]
    : stretchArguments(tools, request, request.stretches, toneMap);
}

/**
 * Arguments for several stretches: each stretch is a separate input, and the filter that joins the stretches counts in
 * microseconds.
 */
function stretchArguments(tools: FfmpegTools, request: PictureRequest, stretches: readonly Stretch[], toneMap: readonly string[]): string[] {
  const { stream } = request.info.video;
  const runs = stretches.map(({ from, to }, index) => `[${index}:${stream}]${pictureFilters({ ...request, from, to }, toneMap).join(',')}[run${index}]`);
  const joined = `${stretches.map((_, index) => `[run${index}]`).join('')}interleave=nb_inputs=${stretches.length}[out]`;
  return [
    ...quiet, ...stretches.flatMap(({ from, fromKey = false }) => pictureInput(tools.limits, { ...request, from, fromKey }).slice(0, -2)),
    '-filter_complex', [...runs, joined].join(';'), '-map', '[out]', '-an', '-sn', '-dn', ...clean, ...rawPictures('1:1000000'),
  ];
}

/** Output options that write pictures to standard output. */
export function pictureOutput(tools: FfmpegTools, request: PictureRequest, toneMap = noMapping): string[] {
  return [
    '-an', '-sn', '-dn', ...clean,
    // More threads for a small filter cost more than they save: 0.1 s of 1.9 s.
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
  const { path, info, skip, from, fromKey, threads: count = decoderThreads(info, limits) } = request;
  const threads = ['-threads', String(count)];
  const filter = keyFilter(request);
  if (filter === 'another ffmpeg') {
    return [...keyPacketInput, '-max_pixels', String(limits.pixels), ...threads, '-copyts', '-i', 'pipe:0', '-map', '0:0'];
  }
  const speed = Object.entries(skipOptions(info.video.codec, skippable(info, skip))).flatMap(([name, value]) => [`-${name}`, value]);
  return [
    ...guards(info.container, limits), ...threads, ...(filter === 'demuxer' ? ['-discard:v', 'nokey'] : speed),
    ...seekBefore(info, from, fromKey), ...fromZero(info), '-i', fileUrl(path), '-map', `0:${info.video.stream}`,
  ];
}

function pictureFilters(request: PictureRequest, toneMap: readonly string[]): string[] {
  const { from = 0, to } = request;
  const { info, width, height, format } = request;
  const end = to === undefined ? '' : `:end=${secondsText(to - halfMillisecond)}`;
  return [
    // The filter rounds its limits to the clock of the file, which may count in frames.
    'settb=1/1000000',
    `trim=start=${secondsText(Math.max(0, from - halfMillisecond))}${end}`,
    ...(keyFilter(request) === 'another ffmpeg' ? turnFilters(info.video.rotation) : []),
    ...scaledTo({ width, height, scaling: 'area', toneMap }),
    `format=${format}`,
  ];
}
