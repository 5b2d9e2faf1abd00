import type { MediaBackend } from './mediaBackend.ts';
import type { MediaInfo } from './mediaInfo.ts';

/** A probed file, and the decoder that reads the file. */
export interface MediaSource {
  backend: MediaBackend;
  path: string;
  info: MediaInfo;
  signal: AbortSignal;
}
