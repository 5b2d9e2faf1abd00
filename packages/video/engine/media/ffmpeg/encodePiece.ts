import { mediaErrors } from '../../mediaErrors.ts';
import { basename } from 'node:path';
import { captionFilter } from '../captionFilter.ts';
import { previewColour } from '../colour.ts';
import { decoderThreads } from '../decoderThreads.ts';
import { framingFilters } from '../framingFilters.ts';
import type { PictureEncoding, PieceRequest } from '../mediaBackend.ts';
import { pieceContainer } from '../pieceContainer.ts';
import { halfMillisecond } from '../nearestFrame.ts';
import { clean, fileUrl, fromZero, guards, quiet, secondsText } from './commandLine.ts';
import { runFfmpeg, type FfmpegTools } from './ffmpegChild.ts';
import { seekBefore } from './seeking.ts';
import { noMapping, scaledTo, toneMapping } from './scaling.ts';
import { stat } from 'node:fs/promises';

/** Encodes one piece from one seeked input, or from two inputs with a crossfade. */
export async function encodePiece(tools: FfmpegTools, request: PieceRequest): Promise<void> {
  const { path, signal, into, output, encoding, frames } = request;
  const inputs: readonly PieceInput[] = [request, ...(into === undefined ? [] : [into])];
  const toneMap = request.info.video.highDynamicRange ? toneMapping(await tools.programs.filters()) : noMapping;
  await runFfmpeg(tools, [
    ...quiet,
    ...inputs.flatMap(({ from, shown = from }) => inputArguments(tools, request, shown)),
    '-filter_complex', filterGraph(request, inputs, toneMap), '-map', '[out]', '-an', '-sn', '-dn', ...clean,
    // A piece may lie in a damaged part: without this limit, ffmpeg fails if it cannot decode two thirds of the packets.
    '-frames:v', String(frames), '-fps_mode', 'passthrough', '-max_error_rate', '1',
    ...pictureEncoder(encoding, tools.limits.threads, await encoderFor(tools, encoding)), '-f', pieceContainer[encoding.codec], '-y', fileUrl(output),
  ], { path, signal, failing: `cannot be decoded at ${request.from.toFixed(3)} s`, code: 'decoder-failed' });
  const made = await stat(output).catch(() => null);
  if (made === null || made.size === 0) {
    throw mediaErrors.problem('decoder-failed', `${basename(path)}: no frame could be decoded at ${request.from.toFixed(3)} s. Encode the file again with a current encoder.`);
  }
}

type PieceInput = Pick<PieceRequest, 'from' | 'shown' | 'crop'>;

function inputArguments({ limits }: FfmpegTools, { path, info }: PieceRequest, from: number): string[] {
  return [
    ...guards(info.container, limits), '-threads', String(decoderThreads(info, limits)), ...seekBefore(info, from),
    ...fromZero(info), '-i', fileUrl(path),
  ];
}

/** The filter graph: each input becomes an endless stream at the constant rate from time 0; `-frames` ends the output. */
function filterGraph({ info, encoding, frames, into, captions }: PieceRequest, inputs: readonly PieceInput[], toneMap: readonly string[]): string {
  const { rate } = encoding;
  const { width, height } = encoding.scaled ?? encoding;
  const perSecond = `${rate.numerator}/${rate.denominator}`;
  const colour = previewColour(info.video.colour);
  const shape = ({ crop }: PieceInput): string => [
    `fps=${perSecond}:start_time=0`,
    ...scaledTo({ width, height, scaling: 'bicubic', toneMap }),
    ...framingFilters(encoding, crop),
    'setsar=1', 'format=yuv420p', `setparams=range=tv:color_primaries=${colour.primaries}:color_trc=${colour.transfer}:colorspace=${colour.matrix}`,
    // If the last frames of a video are missing, a piece at the end repeats the last available frame.
    'tpad=stop=-1:stop_mode=clone',
  ].join(',');
  const runs = inputs.map((input, index) =>
    `[${index}:${info.video.stream}]trim=start=${secondsText(Math.max(0, (input.shown ?? input.from) - halfMillisecond))},setpts=PTS-(${secondsText(input.from)})/TB,${shape(input)}[run${index}]`);
  const seconds = (frames * rate.denominator) / rate.numerator;
  const joined = into === undefined ? '[run0]null' : `[run0][run1]xfade=transition=fade:offset=0:duration=${secondsText(seconds)}`;
  return [...runs, `${joined}${captions === undefined ? '' : `,${captionFilter(captions)}`}[out]`].join(';');
}

/** Encoders of each codec, the preferred one first. */
const encoders = { h264: ['libx264'], vp9: ['libvpx-vp9'], av1: ['libsvtav1', 'libaom-av1'] } as const;

type Encoder = (typeof encoders)[PictureEncoding['codec']][number];

/** Returns the preferred encoder of a codec among those that this FFmpeg has; null if it has none. */
export function encoderOf(codec: PictureEncoding['codec'], present: ReadonlySet<string>): Encoder | null {
  return encoders[codec].find((name) => present.has(name)) ?? null;
}

async function encoderFor({ programs }: FfmpegTools, { codec }: PictureEncoding): Promise<Encoder> {
  // Only AV1 has several encoders, and the list of FFmpeg's encoders costs a process.
  return codec === 'av1' ? encoderOf(codec, await programs.encoders()) ?? encoders[codec][0] : encoders[codec][0];
}

/** Encoder settings; the same for all pieces, so that they can be joined without encoding again. */
export function pictureEncoder({ rate }: Pick<PictureEncoding, 'rate'>, threads: number, encoder: Encoder): string[] {
  return ['-r', `${rate.numerator}/${rate.denominator}`, '-c:v', encoder, ...settings[encoder](threads), '-pix_fmt', 'yuv420p', '-threads', String(threads)];
}

const settings: Readonly<Record<Encoder, (threads: number) => readonly string[]>> = {
  libx264: () => ['-preset', 'veryfast', '-crf', '21'],
  'libvpx-vp9': () => ['-crf', '33', '-b:v', '0', '-deadline', 'good', '-cpu-used', '5', '-row-mt', '1', '-auto-alt-ref', '0'],
  // SVT-AV1 ignores `-threads` and would use all processors.
  libsvtav1: (threads) => ['-preset', '8', '-crf', '35', '-g', '240', '-svtav1-params', `lp=${threads}`],
  'libaom-av1': () => ['-crf', '35', '-b:v', '0', '-cpu-used', '8', '-g', '240', '-row-mt', '1', '-lag-in-frames', '16'],
};
