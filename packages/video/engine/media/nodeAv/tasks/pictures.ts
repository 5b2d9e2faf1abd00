import { skippable, skipOptions } from '../../frameSkipping.ts';
import { halfMillisecond } from '../../nearestFrame.ts';
import { openDecoder, type Decoder, type DecoderSettings } from '../libav/decoder.ts';
import { openInput, type Input } from '../libav/input.ts';
import { openRawOutput } from '../libav/rawOutput.ts';
import { makeHeader } from '../protocol/records.ts';
import type { KnownSource, PictureSelection, Task } from '../protocol/task.ts';
import { openPictureShaper } from './pictureShaper.ts';

/** Codecs whose decoders ignore `skip_frame`. */
const decodesAll = new Set(['vp8', 'vp9', 'av1']);

/** Runs the task `pictures`: writes decoded pictures to standard output. */
export function writePictures({ source, ...selection }: Extract<Task, { kind: 'pictures' }>): void {
  const input = openInput(source);
  const decoder = openPictureDecoder(input, source, selection.skip);
  const output = openRawOutput();
  const { rotation, highDynamicRange } = source.info.video;
  const shaper = openPictureShaper({
    ...selection, scaling: 'area', turn: rotation, toneMap: highDynamicRange && selection.format === 'rgb24',
  }, source.threads);
  let last = Number.NEGATIVE_INFINITY;
  for (const { time, frame } of framesBetween(decoder, selection.from, selection.to, selection.fromKey)) {
    if (time <= last) continue;
    last = time;
    for (const picture of shaper.shape(frame)) {
      const pixels = picture.toBuffer();
      output.write(makeHeader(time, decoder.damaged(), pixels.length));
      output.write(pixels);
    }
  }
  output.write(makeHeader(0, decoder.damaged(), 0));
  output.flush();
  shaper.close();
  decoder.close();
  input.close();
}

/**
 * Opens the decoder of the video stream.
 * @param skip what the decoder skips, as in `PictureRequest`
 */
export function openPictureDecoder(input: Input, { info, threads, pixels }: KnownSource, skip: PictureSelection['skip']): Decoder {
  const { stream: index, codec } = info.video;
  input.only(index);
  const stream = input.stream(index);
  const left = skippable(info, skip);
  const settings: DecoderSettings = {
    threads, pixels,
    options: skipOptions(codec, left),
    keysOnly: left === 'non-key' && decodesAll.has(codec),
  };
  return openDecoder(input, stream, settings);
}

/**
 * Yields the frames with from ≤ time < to, seconds.
 * @param fromKey whether `from` is the time of a key frame
 */
export function* framesBetween(decoder: Decoder, from: number | null, to: number | null, fromKey = false): ReturnType<Decoder['frames']> {
  const first = (from ?? Number.NEGATIVE_INFINITY) - halfMillisecond;
  const end = (to ?? Number.POSITIVE_INFINITY) - halfMillisecond;
  for (const decoded of seekAndDecode(decoder, from ?? 0, end, fromKey)) {
    if (decoded.time >= end) return;
    if (decoded.time >= first) yield decoded;
  }
}

/**
 * Yields the frames from a position at or before `from`. A seek in containers without an index may land anywhere; if the first
 * frame is too late, the function seeks again to an earlier time.
 */
function* seekAndDecode(decoder: Decoder, from: number, end: number, fromKey: boolean): ReturnType<Decoder['frames']> {
  for (const back of [...(fromKey ? [-0.01] : []), 0.1, 3, 12, 60]) {
    const start = from - back;
    if (start > 0) decoder.seek(start);
    else if (back > 0.1 || fromKey) decoder.rewind();
    const frames = decoder.frames(end);
    const first = frames.next();
    if (first.done === true ? start <= 0 : first.value.time <= from || start <= 0) {
      if (first.done !== true) yield first.value;
      yield* frames;
      return;
    }
  }
  decoder.rewind();
  yield* decoder.frames(end);
}
