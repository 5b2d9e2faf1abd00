import { AV_PICTURE_TYPE_NONE, AV_PIX_FMT_YUV420P, AVCOL_RANGE_MPEG } from 'node-av/constants';
import type { Frame } from 'node-av/lib';
import { captionFilter } from '../../captionFilter.ts';
import { previewColour, type Colour } from '../../colour.ts';
import type { FrameRate } from '../../mediaBackend.ts';
import { framingFilters } from '../../framingFilters.ts';
import { halfMillisecond } from '../../nearestFrame.ts';
import { pieceContainer } from '../../pieceContainer.ts';
import { copyPixels } from '../libav/copyPixels.ts';
import { openFilterChain, pictureSource, type FilterChain } from '../libav/filterChain.ts';
import { openInput } from '../libav/input.ts';
import { openOutput, type Track } from '../libav/output.ts';
import type { KnownSource, Task } from '../protocol/task.ts';
import { addPictureTrack, clean } from './encoders.ts';
import { framesBetween, openPictureDecoder } from './pictures.ts';
import { openPictureShaper, type PictureShape } from './pictureShaper.ts';

type PieceTask = Extract<Task, { kind: 'piece' }>;

/** Encodes one piece, with a crossfade if `into` is given. */
export function encodePieceFile({ source, encoding, from, shown, crop, frames, into, captions, output: path }: PieceTask): void {
  const { rate, codec } = encoding;
  const { width, height } = encoding.scaled ?? encoding;
  const { rotation, highDynamicRange } = source.info.video;
  const shape: PictureShape = { width, height, format: 'yuv420p', scaling: 'bicubic', turn: rotation, toneMap: highDynamicRange };
  const inputs = [{ from, shown, crop: crop ?? undefined }, ...(into === null ? [] : [into])];
  const runs = inputs.map((input) => filtered(evenRun(source, shape, input, rate, frames), framingFilters(encoding, input.crop), source.threads));
  const pictures = mixed(runs, frames, previewColour(source.info.video.colour), from);
  // The caption filter rounds times down to milliseconds; half a millisecond more keeps 200 ms from becoming 199.
  const timeOf = (n: number): bigint => BigInt(Math.round((n * 1e6 * rate.denominator) / rate.numerator) + 500);
  const output = openOutput(path, pieceContainer[codec]);
  let track: Track | undefined;
  let n = 0;
  for (const frame of filtered(pictures, captions === null ? [] : [captionFilter(captions)], source.threads, timeOf)) {
    if (track === undefined) {
      track = addPictureTrack(output, codec, rate, source.threads, frame);
      output.begin(clean);
    }
    frame.pts = BigInt(n);
    frame.pictType = AV_PICTURE_TYPE_NONE;
    track.push(frame);
    n += 1;
  }
  output.end();
  for (const run of runs) run.return(undefined);
}

/** Yields the frames of one run, or of a crossfade from the first run to the second. A frame is valid until the next frame is requested. */
function* mixed(runs: readonly Generator<Frame, undefined>[], frames: number, colour: Colour, from: number): Generator<Frame, undefined> {
  for (let n = 0; n < frames; n += 1) {
    const [first, second] = runs.map((run) => run.next().value);
    if (first === undefined) throw new Error(`no frame could be decoded at ${from.toFixed(3)} s`);
    const frame = second === undefined ? first : fade(first, second, n / frames);
    markColour(frame, colour);
    yield frame;
    if (frame !== first) frame.free();
  }
}

/**
 * Yields frames at a constant rate from a time on, endlessly if there is at least one picture. Frame n is the last picture
 * whose time, rounded to the nearest 1 / rate, is not after n; before the first picture, it is the first picture. A frame is
 * valid until the next frame is requested.
 */
function* evenRun(source: KnownSource, shape: PictureShape, { from, shown: first }: Pick<PieceTask, 'from' | 'shown'>, rate: FrameRate, frames: number): Generator<Frame, undefined> {
  const input = openInput(source);
  const decoder = openPictureDecoder(input, source, 'none');
  const shaper = openPictureShaper(shape, source.threads);
  const perSecond = rate.numerator / rate.denominator;
  let last: Frame | null = null;
  let given = 0;
  try {
    for (const { frame, time } of framesBetween(decoder, first ?? from, null)) {
      // Within a damaged part, the first picture may come after the end of the piece.
      if (last !== null && time >= from + (frames + 2) / perSecond - halfMillisecond) break;
      const place = Math.floor((time - from) * perSecond + 0.5 + 1e-6);
      const shown = last as Frame | null;
      if (shown !== null) for (; given < place; given += 1) yield shown;
      for (const picture of shaper.shape(frame)) last = picture.clone() ?? last;
      if (shown !== null && last !== shown) shown.free();
    }
    // If the last frames of a video are missing, a piece at the end repeats the last available frame.
    const shown = last;
    if (shown !== null) for (;;) yield shown;
  } finally {
    last?.free();
    shaper.close();
    decoder.close();
    input.close();
  }
}

/**
 * Passes each frame through filters. A frame is valid until the next frame is requested.
 * @param timeOf time that the filters see for frame n, microseconds; default: the frame's own
 */
function* filtered(frames: Generator<Frame, undefined>, filters: readonly string[], threads: number, timeOf?: (n: number) => bigint): Generator<Frame, undefined> {
  if (filters.length === 0) return yield* frames;
  let chain: FilterChain | undefined;
  let n = 0;
  try {
    for (const frame of frames) {
      chain ??= openFilterChain(pictureSource(frame), filters.join(','), 'video', threads);
      // The filter takes the reference, but a run may yield the same frame again.
      const given = frame.clone();
      if (given === null) throw new Error('no memory for a frame');
      if (timeOf !== undefined) given.pts = timeOf(n);
      n += 1;
      yield* chain.push(given);
      given.free();
    }
  } finally {
    chain?.close();
    frames.return(undefined);
  }
}

/**
 * Mixes two yuv420p frames of the same size.
 * @param share share of the second frame, 0–1
 */
function fade(first: Frame, second: Frame, share: number): Frame {
  const from = first.toBuffer();
  const into = second.toBuffer();
  const weight = Math.round(share * 256);
  for (let i = 0; i < from.length; i += 1) from[i] = (from[i]! * (256 - weight) + into[i]! * weight + 128) >> 8;
  return copyPixels(from, { width: first.width, height: first.height, format: AV_PIX_FMT_YUV420P });
}

function markColour(frame: Frame, { primaries, transfer, matrix }: Colour): void {
  frame.colorRange = AVCOL_RANGE_MPEG;
  frame.colorPrimaries = primaries as typeof frame.colorPrimaries;
  frame.colorTrc = transfer as typeof frame.colorTrc;
  frame.colorSpace = matrix as typeof frame.colorSpace;
}
