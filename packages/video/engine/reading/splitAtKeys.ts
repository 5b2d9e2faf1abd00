import { firstFrame } from '../media/firstFrame.ts';
import type { PacketIndex } from '../media/mediaInfo.ts';

/** A part of a video, from a key frame (the first one: from the beginning) to the next part (the last one: to the end), seconds. */
export interface KeyStretch {
  from?: number;
  to?: number;
}

interface Splitting {
  /** Decoders that share the parts. */
  lanes: number;
  /** Smallest part worth a decoder of its own, share of the whole. */
  minShare: number;
  /** Most pictures of one part. */
  maxPictures: number;
}

/** A key frame with another one so soon after it is no place to begin at: a decoder may land on the other one, seconds. */
const alone = 0.3;

/**
 * Cuts a video at key frames into parts for decoders that take one after the other. Each part is a share of what is left,
 * so that the first ones are large and all decoders end at about the same time. A packet costs half by its size, half by its number.
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
    if (keys[at] === 1 && full && left - cost >= minShare * whole && !keys.subarray(at + 1, firstFrame(times, times[at]! + alone)).includes(1)) {
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
