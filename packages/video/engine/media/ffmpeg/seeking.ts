import type { MediaInfo } from '../mediaInfo.ts';
import { secondsText } from './commandLine.ts';

/**
 * Containers with an index find the key frame before a time themselves. The others are searched by timestamps and land
 * anywhere, so that the decoder needs a run-up to the first key frame; broadcast has one at least every few seconds.
 */
const runUpSeconds: Readonly<Record<string, number>> = { mpegts: 12, mpeg: 12, flv: 2, ogg: 12, asf: 12, avi: 2 };

/** Offset after a key frame, seconds: in containers with decoding times, ffmpeg seeks 0.13 s too early if the stream has B-frames. */
const pastKey = 0.15;

/**
 * Options that seek to a key frame before `from`; what lies between is left out by a `trim` filter, not by the seek.
 * @param isKey `from` is that of a key frame with no other one in the next 0.15 s
 */
export function seekBefore({ container }: MediaInfo, from: number | undefined, isKey = false): string[] {
  const start = (from ?? 0) - (runUpSeconds[container] ?? (isKey ? -pastKey : 0.1));
  return start <= 0 ? [] : ['-noaccurate_seek', '-ss', secondsText(start)];
}
