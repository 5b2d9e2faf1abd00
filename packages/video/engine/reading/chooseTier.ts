import type { MediaInfo } from '../media/mediaInfo.ts';
import type { Tier } from '../analysis/analysis.ts';

/**
 * Pixels that one processor decodes per second, measured with H.264: 1080p at 24 frames per second decodes at 2.7 to 3.8 times
 * real time.
 */
const pixelsPerSecond = 160e6;

/** Decoding cost of a frame relative to H.264 of the same size; 1 for other codecs. */
const codecCost: Readonly<Record<string, number>> = { hevc: 1.5, av1: 2, vp9: 1.3, vp8: 1.1 };

/** Codecs whose decoders can skip non-reference frames or B-frames. Other decoders decode every frame except in `fast`. */
const canSkip: ReadonlySet<string> = new Set(['h264', 'hevc', 'mpeg2video', 'mpeg4', 'msmpeg4v3']);

/**
 * Processor seconds of full decoding up to which every frame is decoded; a preview of a few minutes of video is worth a
 * minute.
 */
const accurateSeconds = 90;
/** Processor seconds of full decoding up to which only B-frames are skipped. Skipping them reduces the cost to about 0.4. */
const balancedSeconds = 600;

/**
 * Chooses the tier for a video: the tier that the caller wants, or for `auto` a tier by length × pixels × codec. Key frames alone
 * miss cuts in files with regular key frames, so `auto` chooses `fast` only if other tiers would take more than several minutes.
 * A GIF always gets `accurate`, because it has one key frame and its decoder cannot skip frames.
 */
export function chooseTier(info: MediaInfo, wanted: Tier | 'auto'): Tier {
  const { codec } = info.video;
  if (codec === 'gif') return 'accurate';
  if (wanted !== 'auto') return wanted;
  const fullSeconds = decodingSeconds(info);
  if (fullSeconds <= accurateSeconds) return 'accurate';
  if (canSkip.has(codec)) return fullSeconds <= balancedSeconds ? 'balanced' : 'fast';
  return fullSeconds <= balancedSeconds / 2 ? 'accurate' : 'fast';
}

/** Estimated time in which one processor decodes the whole video, seconds. */
export function decodingSeconds({ duration, video: { width, height, frameRate, codec } }: MediaInfo): number {
  const frames = duration * (frameRate.numerator / Math.max(1, frameRate.denominator));
  return (frames * width * height * (codecCost[codec] ?? 1)) / pixelsPerSecond;
}
