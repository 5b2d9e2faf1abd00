import { AV_PIX_FMT_YUV420P, AVCOL_RANGE_MPEG } from 'node-av/constants';
import type { Frame } from 'node-av/lib';
import { copyPixels } from '../libav/copyPixels.ts';
import { openOutput } from '../libav/output.ts';
import type { Task } from '../protocol/task.ts';
import { addPictureTrack, addSoundTrack, clean } from './encoders.ts';
import { openSamplesFile } from './samplesFile.ts';
import { openStandardInput } from './standardInput.ts';

/** Encodes a clip from generated pictures and samples. */
export function encodeClipFile({ threads, request }: Extract<Task, { kind: 'clip' }>): void {
  const { width, height, rate, sound, output: path } = request;
  const chroma = Math.ceil(width / 2) * Math.ceil(height / 2);
  const input = openStandardInput();
  const next = (): Frame | null => {
    const pixels = input.read(width * height + 2 * chroma);
    if (pixels === null) return null;
    const frame = copyPixels(pixels, { width, height, format: AV_PIX_FMT_YUV420P });
    frame.colorRange = AVCOL_RANGE_MPEG;
    return frame;
  };
  let frame = next();
  if (frame === null) throw new Error('a clip needs at least one frame');
  const output = openOutput(path, 'mp4');
  const track = addPictureTrack(output, 'h264', rate, threads, frame);
  const made = sound === null ? null : addSoundTrack(output, { codec: 'aac', ...sound });
  output.begin({ ...clean, movflags: '+faststart' });
  const encodeSound = sound === null || made === null ? () => {} : openSamplesFile(sound, made);
  for (let n = 0; frame !== null; n += 1) {
    frame.pts = BigInt(n);
    track.push(frame);
    frame.free();
    encodeSound(((n + 1) * rate.denominator) / rate.numerator);
    frame = next();
  }
  encodeSound(Number.POSITIVE_INFINITY);
  output.end();
}
