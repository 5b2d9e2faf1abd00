import { closeSync, openSync, readSync } from 'node:fs';
import { AV_CHANNEL_ORDER_NATIVE, AV_SAMPLE_FMT_S16 } from 'node-av/constants';
import { Frame, Rational } from 'node-av/lib';
import { openFilterChain } from '../libav/filterChain.ts';
import type { SoundTrackMade } from './encoders.ts';

interface Samples {
  samplesFile: string;
  sampleRate: number;
  channels: 1 | 2;
}

/** Number of sample times to read at once. */
const piece = 16_384;

/**
 * Opens a file of raw samples for encoding.
 * @returns function that encodes the samples up to a time, seconds; Infinity encodes the rest
 */
export function openSamplesFile({ samplesFile, sampleRate, channels }: Samples, { track, filters }: SoundTrackMade): (until: number) => void {
  const layout = channels === 1 ? 'mono' : 'stereo';
  const chain = openFilterChain(`time_base=1/${sampleRate}:sample_rate=${sampleRate}:sample_fmt=s16:channel_layout=${layout}`, filters, 'audio', 1);
  const file = openSync(samplesFile, 'r');
  const bytes = Buffer.alloc(piece * 2 * channels);
  const rate = track.context.timeBase.den;
  let read = 0;
  let encoded = 0;
  let ended = false;
  const encode = (frame: Frame | null): void => {
    for (const part of chain.push(frame)) {
      part.pts = BigInt(encoded);
      part.timeBase = new Rational(1, rate);
      encoded += part.nbSamples;
      track.push(part);
    }
  };
  return (until) => {
    while (!ended && read / sampleRate < until) {
      const count = Math.floor(readWhole(file, bytes) / (2 * channels));
      if (count === 0) {
        ended = true;
        closeSync(file);
        encode(null);
        chain.close();
        return;
      }
      const frame = Frame.fromAudioBuffer(bytes.subarray(0, count * 2 * channels), {
        nbSamples: count, format: AV_SAMPLE_FMT_S16, sampleRate, timeBase: { num: 1, den: sampleRate }, pts: BigInt(read),
        channelLayout: { nbChannels: channels, order: AV_CHANNEL_ORDER_NATIVE, mask: channels === 1 ? 4n : 3n },
      });
      encode(frame);
      frame.free();
      read += count;
    }
  };
}

function readWhole(file: number, bytes: Buffer): number {
  let filled = 0;
  for (;;) {
    const count = readSync(file, bytes, filled, bytes.length - filled, null);
    filled += count;
    if (count === 0 || filled === bytes.length) return filled;
  }
}
