import type { PictureEncoding, SoundEncodeRequest } from '../media/mediaBackend.ts';

/** Videos that contain the whole preview in one file, without a playlist. */
export type VideoFormat = 'mp4' | 'webm' | 'av1';

interface FormatFacts {
  /** Ending of the file, which names the container too. */
  ending: '.mp4' | '.webm' | '.av1.mp4';
  container: 'mp4' | 'webm';
  picture: PictureEncoding['codec'];
  sound: SoundEncodeRequest['codec'];
  /** Time to encode a frame, relative to H.264. */
  weight: number;
}

/** File ending, container, codecs and cost of each video. */
export const previewFormats: Readonly<Record<VideoFormat, FormatFacts>> = {
  mp4: { ending: '.mp4', container: 'mp4', picture: 'h264', sound: 'aac', weight: 1 },
  webm: { ending: '.webm', container: 'webm', picture: 'vp9', sound: 'opus', weight: 3 },
  av1: { ending: '.av1.mp4', container: 'mp4', picture: 'av1', sound: 'aac', weight: 3 },
};
