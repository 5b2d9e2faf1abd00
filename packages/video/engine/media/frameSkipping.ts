import type { PictureRequest } from './mediaBackend.ts';

const skipFrame = { none: 'default', 'non-reference': 'noref', bidirectional: 'bidir', 'non-key': 'nokey' } as const;

/**
 * FFmpeg's decoder options for what is left out; with anything but key frames left in, the loop filter goes too, which
 * nobody sees in small pictures. HEVC keeps all frames that others refer to: without its B-frames FFmpeg 8 gives only
 * the first pictures after each key frame (FFmpeg 5 gives the rest).
 */
export function skipOptions(codec: string, skip: PictureRequest['skip']): Readonly<Record<string, string>> {
  if (skip === 'none') return {};
  const asked = codec === 'hevc' && skip === 'bidirectional' ? 'non-reference' : skip;
  return { skip_frame: skipFrame[asked], ...(skip === 'non-key' ? {} : { skip_loop_filter: 'all' }) };
}
