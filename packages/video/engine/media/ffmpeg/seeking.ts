import type { MediaInfo } from '../mediaInfo.ts';
import { secondsText } from './commandLine.ts';

/**
 * Containers with an index find the key frame before a time themselves. The others are searched by timestamps and land
 * anywhere, so that the decoder needs a run-up to the first key frame; broadcast has one at least every few seconds.
 */
const runUpSeconds: Readonly<Record<string, number>> = { mpegts: 12, mpeg: 12, flv: 2, ogg: 12, asf: 12, avi: 2 };

/** Options that seek to a key frame before `from`; what lies between is left out by a `trim` filter, not by the seek. */
export function seekBefore({ container }: MediaInfo, from: number | undefined): string[] {
  const start = (from ?? 0) - (runUpSeconds[container] ?? 0.1);
  return start <= 0 ? [] : ['-noaccurate_seek', '-ss', secondsText(start)];
}
