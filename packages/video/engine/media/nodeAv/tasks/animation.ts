import { AV_DISPOSITION_ATTACHED_PIC, AVMEDIA_TYPE_VIDEO } from 'node-av/constants';
import { Rational, type Frame } from 'node-av/lib';
import { openDecoder } from '../libav/decoder.ts';
import { openFilterChain, pictureSource, type FilterChain } from '../libav/filterChain.ts';
import { openInput } from '../libav/input.ts';
import { openOutput, type Output, type Track } from '../libav/output.ts';
import type { Task } from '../protocol/task.ts';
import { clean } from './encoders.ts';

const microseconds = 1e6;

/** Encodes an animated picture that repeats forever, from a finished preview. */
export function encodeAnimationFile({ source, request }: Extract<Task, { kind: 'animation' }>): void {
  const input = openInput(source);
  const video = input.container.streams.find(({ codecpar, disposition }) =>
    codecpar.codecType === AVMEDIA_TYPE_VIDEO && !(disposition & AV_DISPOSITION_ATTACHED_PIC));
  if (video === undefined) throw new Error('the animation has no frames');
  input.only(video.index);
  const decoder = openDecoder(input, video, source);
  const gif = request.output.endsWith('.gif');
  const write = animationWriter(openOutput(request.output, gif ? 'gif' : 'webp'), gif, request.framesPerSecond);
  let chain: FilterChain | undefined;
  for (const { frame, time } of decoder.frames()) {
    chain ??= openFilterChain(pictureSource(frame), animationFilters(request, gif), 'video', source.threads);
    frame.pts = BigInt(Math.round(time * microseconds));
    // The filter uses the duration to fill the time up to the end of the last frame.
    frame.duration = (frame.duration * BigInt(microseconds * video.timeBase.num)) / BigInt(video.timeBase.den);
    for (const picture of chain.push(frame)) write(picture);
  }
  for (const picture of chain?.push(null) ?? []) write(picture);
  write(null);
  chain?.close();
  decoder.close();
  input.close();
}

function animationFilters({ width, height, framesPerSecond }: Extract<Task, { kind: 'animation' }>['request'], gif: boolean): string {
  const shape = `fps=${framesPerSecond},scale=${width}:${height}:flags=area+accurate_rnd+bitexact`;
  return gif
    ? `${shape},split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle`
    : `${shape},format=yuv420p`;
}

/** @returns function that encodes a picture; null ends the file */
function animationWriter(output: Output, gif: boolean, framesPerSecond: number): (picture: Frame | null) => void {
  const encoder = gif ? 'gif' : 'libwebp_anim';
  const unit = new Rational(1, 1000);
  let track: Track | undefined;
  let count = 0;
  return (picture) => {
    if (picture === null) {
      if (track === undefined) throw new Error('no frame could be decoded');
      output.end();
      return;
    }
    if (track === undefined) {
      track = output.addTrack(encoder, gif ? { flags: '+bitexact' } : { flags: '+bitexact', quality: 70, compression_level: 3 }, (context) => {
        context.width = picture.width;
        context.height = picture.height;
        context.pixelFormat = picture.format as typeof context.pixelFormat;
        context.timeBase = unit;
      });
      output.begin({ ...clean, loop: 0 });
    }
    picture.pts = BigInt(Math.round((1000 * count) / framesPerSecond));
    picture.duration = BigInt(Math.round(1000 / framesPerSecond));
    count += 1;
    track.push(picture);
  };
}
