import { AV_CHANNEL_ORDER_NATIVE, AV_PIX_FMT_YUV420P, AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_S16 } from 'node-av/constants';
import { Rational, type Frame } from 'node-av/lib';
import type { FrameRate, PictureEncoding, SoundEncodeRequest } from '../../mediaBackend.ts';
import type { Output, Track } from '../libav/output.ts';
import type { Options } from '../libav/setOptions.ts';

/** Options that omit the version of the encoder from the metadata, so that the same input gives the same bytes. */
export const clean: Options = { fflags: '+bitexact' };

/** Encoder settings of the picture track; the same for all pieces, so that they can be joined without encoding again. */
const pictureOptions: Readonly<Record<PictureEncoding['codec'], { encoder: string; options(threads: number): Options }>> = {
  h264: { encoder: 'libx264', options: () => ({ preset: 'veryfast', crf: 21 }) },
  vp9: { encoder: 'libvpx-vp9', options: () => ({ crf: 33, b: 0, deadline: 'good', 'cpu-used': 5, 'row-mt': 1, 'auto-alt-ref': 0 }) },
  // SVT-AV1 ignores `threads` and would use all processors.
  av1: { encoder: 'libsvtav1', options: (threads) => ({ preset: 8, crf: 35, g: 240, 'svtav1-params': `lp=${threads}` }) },
};

/**
 * Adds a picture track.
 * @param like a frame with the size and the colours of the track
 */
export function addPictureTrack(output: Output, codec: PictureEncoding['codec'], rate: FrameRate, threads: number, like: Frame): Track {
  const { encoder, options } = pictureOptions[codec];
  return output.addTrack(encoder, { threads, flags: '+bitexact', ...options(threads) }, (context) => {
    context.width = like.width;
    context.height = like.height;
    context.pixelFormat = AV_PIX_FMT_YUV420P;
    context.sampleAspectRatio = new Rational(1, 1);
    context.timeBase = new Rational(rate.denominator, rate.numerator);
    context.framerate = new Rational(rate.numerator, rate.denominator);
    context.colorRange = like.colorRange;
    context.colorSpace = like.colorSpace;
    context.colorPrimaries = like.colorPrimaries;
    context.colorTrc = like.colorTrc;
    context.chromaLocation = like.chromaLocation;
  });
}

export interface SoundTrackMade {
  track: Track;
  /** Filters that convert raw interleaved 16-bit samples to frames for the encoder. */
  filters: string;
}

/** Adds a sound track. Of the usual sample rates, Opus supports only 48 kHz. */
export function addSoundTrack(output: Output, { codec, sampleRate, channels }: Pick<SoundEncodeRequest, 'codec' | 'sampleRate' | 'channels'>): SoundTrackMade {
  const rate = codec === 'opus' ? 48_000 : sampleRate;
  const [encoder, format, name, bits] = codec === 'opus'
    ? ['libopus', AV_SAMPLE_FMT_S16, 's16', 112_000] as const
    : ['aac', AV_SAMPLE_FMT_FLTP, 'fltp', 128_000] as const;
  const track = output.addTrack(encoder, { b: bits, flags: '+bitexact' }, (context) => {
    context.sampleFormat = format;
    context.sampleRate = rate;
    context.channelLayout = { nbChannels: channels, order: AV_CHANNEL_ORDER_NATIVE, mask: channels === 1 ? 4n : 3n };
    context.timeBase = new Rational(1, rate);
  });
  return { track, filters: `aresample=${rate},aformat=sample_fmts=${name},asetnsamples=n=${track.context.frameSize}:p=0` };
}
