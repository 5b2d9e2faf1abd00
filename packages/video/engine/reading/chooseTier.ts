import type { MediaInfo } from '../media/mediaInfo.ts';
import type { Tier } from '../analysis/analysis.ts';

/** Full decoding of H.264, measured: 1080p at 24 frames a second runs at 2.7 to 3.8 times its length per processor second. */
const pixelsPerSecond = 160e6;

/** Cost of a frame relative to H.264 of the same size. */
const codecCost: Readonly<Record<string, number>> = { hevc: 1.5, av1: 2, vp9: 1.3, vp8: 1.1 };

/** Decoders that can leave out frames nobody, or only B-frames, refer to. The others decode everything but in `fast`. */
const canSkip: ReadonlySet<string> = new Set(['h264', 'hevc', 'mpeg2video', 'mpeg4', 'msmpeg4v3']);

/** Processor seconds of full decoding up to which every frame is read; a preview of a few minutes is worth a minute. */
const accurateSeconds = 90;
/** The same for leaving out B-frames, which costs about 0.4 of it. */
const balancedSeconds = 600;

/**
 * The tier for a video whose caller did not choose: by length × pixels × codec. Key frames alone miss cuts in files with
 * a fixed distance of key frames, so `fast` is for what would take more than some minutes otherwise.
 */
export function chooseTier(info: MediaInfo): Tier {
  const { codec } = info.video;
  const fullSeconds = decodingSeconds(info);
  if (fullSeconds <= accurateSeconds) return 'accurate';
  if (canSkip.has(codec)) return fullSeconds <= balancedSeconds ? 'balanced' : 'fast';
  return fullSeconds <= balancedSeconds / 2 ? 'accurate' : 'fast';
}

/** About how long one processor decodes the whole video, seconds. */
export function decodingSeconds({ duration, video: { width, height, frameRate, codec } }: MediaInfo): number {
  const frames = duration * (frameRate.numerator / Math.max(1, frameRate.denominator));
  return (frames * width * height * (codecCost[codec] ?? 1)) / pixelsPerSecond;
}
