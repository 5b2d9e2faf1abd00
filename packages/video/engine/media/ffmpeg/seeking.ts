import type { MediaInfo } from '../mediaInfo.ts';
import { secondsText } from './commandLine.ts';

/**
 * Seconds to seek before the wanted time. Containers with an index seek to the previous key frame. In the listed containers, a
 * seek by timestamp lands anywhere, so the decoder needs a run-up to the first key frame; broadcasts have a key frame at least
 * every few seconds.
 */
const runUpSeconds: Readonly<Record<string, number>> = { mpegts: 12, mpeg: 12, flv: 2, ogg: 12, asf: 12, avi: 2 };

/** Offset after a key frame, seconds: in containers with decoding times, ffmpeg seeks 0.13 s too early if the stream has B-frames. */
const pastKey = 0.15;

/**
 * Options that seek to a key frame before `from`. A `trim` filter removes the frames in between.
 * @param isKey whether `from` is the time of a key frame without another key frame in the next 0.15 s
 */
export function seekBefore({ container }: MediaInfo, from: number | undefined, isKey = false): string[] {
  const start = (from ?? 0) - (runUpSeconds[container] ?? (isKey ? -pastKey : 0.1));
  return start <= 0 ? [] : ['-noaccurate_seek', '-ss', secondsText(start)];
}
