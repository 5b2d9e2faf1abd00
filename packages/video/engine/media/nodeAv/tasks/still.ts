import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { AV_PIX_FMT_RGB24 } from 'node-av/constants';
import { Codec, CodecContext, Frame, Packet, Rational } from 'node-av/lib';
import type { FFEncoderCodec } from 'node-av/constants';
import { check } from '../libav/check.ts';
import { copyPixels } from '../libav/copyPixels.ts';
import { openFilterChain, pictureSource } from '../libav/filterChain.ts';
import { setOptions, type Options } from '../libav/setOptions.ts';
import type { Task } from '../protocol/task.ts';
import { openStandardInput } from './standardInput.ts';

/** FFmpeg's quality units per unit of JPEG quality (FF_QP2LAMBDA). */
const lambda = 118;

const formats: Readonly<Record<string, { encoder: string; filters: string; options: Options }>> = {
  '.jpg': {
    encoder: 'mjpeg', filters: 'scale=flags=bicubic+accurate_rnd+bitexact:out_range=pc,format=yuvj420p',
    options: { flags: '+bitexact+qscale', global_quality: 3 * lambda },
  },
  '.png': { encoder: 'png', filters: 'null', options: {} },
  '.webp': { encoder: 'libwebp', filters: 'format=bgra', options: { quality: 80 } },
};

/** Encodes one picture; the encoder's output is the whole file. */
export function encodeStillFile({ width, height, output }: Extract<Task, { kind: 'still' }>): void {
  const format = formats[extname(output)];
  if (format === undefined) throw new Error(`an image file ends in .jpg, .png or .webp, not in ${extname(output)}`);
  const input = openStandardInput();
  const rgb = input.read(width * height * 3);
  if (rgb === null || input.read(1) !== null) throw new Error('the input is not exactly one frame');
  const frame = copyPixels(rgb, { width, height, format: AV_PIX_FMT_RGB24, pts: 0n });
  const chain = openFilterChain(pictureSource(frame), format.filters, 'video', 1);
  for (const picture of chain.push(frame)) writeFileSync(output, encodeOne(picture, format.encoder, format.options));
  chain.close();
  frame.free();
}

function encodeOne(picture: Frame, encoder: string, options: Options): Buffer {
  const codec = Codec.findEncoderByName(encoder as FFEncoderCodec);
  if (codec === null) throw new Error(`the encoder ${encoder} is missing in this build of the libraries`);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.width = picture.width;
  context.height = picture.height;
  context.pixelFormat = picture.format as CodecContext['pixelFormat'];
  context.colorRange = picture.colorRange;
  context.colorSpace = picture.colorSpace;
  context.timeBase = new Rational(1, 25);
  setOptions(context, { threads: 1, ...options });
  check(context.open2Sync(codec), `opening the encoder ${encoder}`);
  picture.pts = 0n;
  if ('global_quality' in options) picture.quality = Number(options['global_quality']);
  check(context.sendFrameSync(picture), 'encoding');
  check(context.sendFrameSync(null), 'encoding');
  const packet = new Packet();
  packet.alloc();
  check(context.receivePacketSync(packet), 'encoding');
  if (packet.data === null) throw new Error(`the encoder ${encoder} returned no data`);
  const bytes = Buffer.from(packet.data);
  packet.free();
  context.freeContext();
  return bytes;
}
