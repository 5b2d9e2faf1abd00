import { firstFrame } from '../media/firstFrame.ts';
import type { PacketIndex } from '../media/mediaInfo.ts';

/**
 * A part of a video, seconds. `from` is the time of a key frame, absent for the first part; `to` is absent for the last part.
 */
export interface KeyStretch {
  from?: number;
  to?: number;
}

interface Splitting {
  /** Number of decoders that share the parts. */
  lanes: number;
  /** Smallest part that is worth starting a decoder, as a share of the whole. */
  minShare: number;
  /** Maximum number of pictures per part. */
  maxPictures: number;
}

/**
 * A part does not start at a key frame if the next key frame follows within this time, seconds, because a decoder may seek to
 * the wrong key frame.
 */
const alone = 0.3;

/**
 * Splits a video at key frames into parts, which several decoders take in order. Each part is a share of the remaining video,
 * so the first parts are large and all decoders end at about the same time. The cost of a packet is half constant and half
 * proportional to its size.
 */
export function splitAtKeys({ times, sizes, keys }: PacketIndex, { lanes, minShare, maxPictures }: Splitting): KeyStretch[] {
  const mean = sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length);
  const whole = 2 * mean * sizes.length;
  let left = whole;
  let cost = 0;
  let pictures = 0;
  const places: number[] = [];
  for (let at = 0; at < times.length; at += 1) {
    const wanted = Math.max(minShare * whole, left / (2 * lanes));
    const full = cost >= wanted || pictures >= maxPictures;
    if (full && left - cost >= minShare * whole && isAlone({ times, keys }, at)) {
      places.push(times[at]!);
      left -= cost;
      cost = 0;
      pictures = 0;
    }
    cost += sizes[at]! + mean;
    pictures += 1;
  }
  return [...places, undefined].map((to, part) => ({
    ...(part === 0 ? {} : { from: places[part - 1]! }), ...(to === undefined ? {} : { to }),
  }));
}

/** Whether a decoder can seek to exactly this frame: the frame is a key frame, and no other key frame follows within 0.3 s. */
export function isAlone({ times, keys }: Pick<PacketIndex, 'times' | 'keys'>, at: number): boolean {
  return keys[at] === 1 && !keys.subarray(at + 1, firstFrame(times, times[at]! + alone)).includes(1);
}
