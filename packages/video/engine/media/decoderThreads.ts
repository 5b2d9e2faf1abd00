import type { MediaLimits } from './mediaBackend.ts';
import type { MediaInfo } from './mediaInfo.ts';

/** Number of threads that decode the pictures of a video, see `MediaInfo.damaged`. */
export function decoderThreads({ damaged }: MediaInfo, { threads }: Pick<MediaLimits, 'threads'>): number {
  return damaged === true ? 1 : threads;
}
