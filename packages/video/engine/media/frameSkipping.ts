import type { PictureRequest } from './mediaBackend.ts';
import type { MediaInfo } from './mediaInfo.ts';

const skipFrame = { 'non-reference': 'noref', bidirectional: 'bidir', 'non-key': 'nokey' } as const;

/**
 * FFmpeg's decoder options for skipping frames. Unless only key frames are decoded, the options also disable the loop filter,
 * whose effect is invisible in small pictures; `loop-filter` disables it only in frames that no other frame refers to, so that errors do not add up. For HEVC, `bidirectional` skips only non-reference frames: without the other
 * B-frames, FFmpeg 8 returns only the first pictures after each key frame (FFmpeg 5 returns the rest).
 */
export function skipOptions(codec: string, skip: PictureRequest['skip']): Readonly<Record<string, string>> {
  if (skip === 'none') return {};
  if (skip === 'loop-filter') return { skip_loop_filter: 'noref' };
  const asked = codec === 'hevc' && skip === 'bidirectional' ? 'non-reference' : skip;
  return { skip_frame: skipFrame[asked], ...(skip === 'non-key' ? {} : { skip_loop_filter: 'all' }) };
}

/**
 * What the decoder may skip of `skip`. AVI has no presentation times. FFmpeg counts frames instead, which is wrong if the decoder skips frames of a stream whose frames
 * are not in order.
 */
export function skippable({ container, video }: MediaInfo, skip: PictureRequest['skip']): PictureRequest['skip'] {
  return container === 'avi' && video.inOrder !== true ? 'none' : skip;
}
