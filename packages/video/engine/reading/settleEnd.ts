import { believableEnd } from '../media/believableEnd.ts';
import type { MediaInfo, PacketIndex } from '../media/mediaInfo.ts';
import type { Warning } from '../analysis/analysis.ts';
import { formatWithin } from '../selection/formatTime.ts';

/**
 * A video may continue after its last picture for this many seconds, or three times the longest gap between pictures, without
 * a warning.
 */
const ordinaryRest = 2;

/** Facts and packets of a video with a consistent end. */
export interface Ending {
  info: MediaInfo;
  packets: PacketIndex;
  warnings: Warning[];
}

/**
 * Ends the video at its last picture: the end of a truncated file has no pictures, and a segment there would show a still
 * picture. Frames with implausibly late timestamps are removed.
 */
export function settleEnd(info: MediaInfo, packets: PacketIndex): Ending {
  const believable = keepUntil(packets, believableEnd(info.duration));
  const end = endOfPictures(believable, info);
  const longest = longestGap(believable.times);
  const last = believable.times.at(-1) ?? 0;
  if (info.duration - last <= Math.max(ordinaryRest, 3 * longest)) return { info, packets: believable, warnings: [] };
  return {
    info: { ...info, duration: end },
    packets: believable,
    warnings: [{
      code: 'ends-early',
      detail: `The header of the file announces ${formatWithin(info.duration, info.duration)}, but the frames end at ${formatWithin(end, info.duration)}: the file is truncated, or the rest has only sound. The preview uses the part with frames.`,
    }],
  };
}

/** End of the last picture if the picture is shown for the mean frame duration, seconds. */
export function endOfPictures({ times }: PacketIndex, { video: { frameRate } }: MediaInfo): number {
  const first = times[0] ?? 0;
  const last = times.at(-1) ?? 0;
  const mean = times.length > 1 ? (last - first) / (times.length - 1) : frameRate.denominator / Math.max(1, frameRate.numerator);
  return last + mean;
}

function keepUntil(packets: PacketIndex, end: number): PacketIndex {
  const { times, sizes, keys } = packets;
  if ((times.at(-1) ?? 0) <= end) return packets;
  let count = times.length;
  while (count > 0 && times[count - 1]! > end) count -= 1;
  return { times: times.slice(0, count), sizes: sizes.slice(0, count), keys: keys.slice(0, count) };
}

function longestGap(times: Float64Array): number {
  let longest = 0;
  for (let at = 1; at < times.length; at += 1) longest = Math.max(longest, times[at]! - times[at - 1]!);
  return longest;
}
