import { nearestFrame } from '../media/nearestFrame.ts';
import type { CropPath, FrameRate } from '../media/mediaBackend.ts';

/** Sample rate of a preview's sound, Hz; the sound is always stereo. */
export const soundRate = 48_000;

/** A segment's position in the preview. Neighbouring parts overlap if they are crossfaded. */
export interface PlannedPart {
  /** Presentation time of the part's first frame in the source, seconds. */
  from: number;
  /** Index of the part's first frame in the preview. */
  at: number;
  frames: number;
  /** Number of frames shared with the previous part and with the next part. */
  overlapBefore: number;
  overlapAfter: number;
  /** Whether the source continues without a gap from the previous part, or into the next part. Then there is no fade. */
  continuesBefore: boolean;
  continuesAfter: boolean;
}

/**
 * Frames that are encoded together. Pieces follow each other without gap or overlap. `into` is the second picture of a
 * crossfade.
 */
export interface PlannedPiece {
  from: number;
  at: number;
  frames: number;
  /** Positions of the crop, if the preview shows a part of the pictures. */
  crop?: CropPath;
  into?: { from: number; crop?: CropPath };
  /** Subtitles to draw into the pictures, as the text of an ASS file. */
  captions?: string;
}

export interface PreviewPlan {
  rate: FrameRate;
  frames: number;
  parts: readonly PlannedPart[];
  pieces: readonly PlannedPiece[];
}

interface PlanRequest {
  /** Segments in the order of the preview; presentation times in seconds. */
  segments: readonly { start: number; end: number }[];
  /** Presentation times of the source's frames, seconds, ascending. */
  frameTimes: ArrayLike<number>;
  rate: FrameRate;
  /** Length of a crossfade, seconds; shortened to half of the shorter neighbouring segment. */
  crossfade: number;
}

/**
 * Maps segments to frames of the preview. The cumulative length is rounded, so the preview's length differs from the sum of
 * the segments (minus the crossfades) by at most half a frame, whatever the number of segments.
 */
export function planPreview({ segments, frameTimes, rate, crossfade }: PlanRequest): PreviewPlan {
  const perSecond = rate.numerator / rate.denominator;
  const lengths = wholeFrames(segments, perSecond);
  const continues = segments.map((segment, index) => {
    const before = segments[index - 1];
    return before !== undefined && Math.abs(before.end - segment.start) < 0.5 / perSecond;
  });
  const requested = Math.round(crossfade * perSecond);
  const overlaps = segments.map((_, index) =>
    index === 0 || continues[index] === true ? 0 : Math.min(requested, ...[lengths[index - 1]!, lengths[index]!].map((length) => Math.floor(length / 2))));

  let at = 0;
  const parts = segments.map((segment, index): PlannedPart => {
    const part: PlannedPart = {
      from: segment.start,
      at: at - overlaps[index]!,
      frames: lengths[index]!,
      overlapBefore: overlaps[index]!,
      overlapAfter: overlaps[index + 1] ?? 0,
      continuesBefore: continues[index]!,
      continuesAfter: continues[index + 1] ?? false,
    };
    at = part.at + part.frames;
    return part;
  });
  const timeOf = (part: PlannedPart, frame: number): number =>
    frame === 0 ? part.from : nearestFrame(frameTimes, part.from + frame / perSecond);
  return { rate, frames: at, parts, pieces: cutIntoPieces(parts, timeOf) };
}

/** Index of the first sound sample of a frame in the preview. */
export function sampleOf(frame: number, rate: FrameRate): number {
  return Math.round((frame * soundRate * rate.denominator) / rate.numerator);
}

function wholeFrames(segments: PlanRequest['segments'], perSecond: number): number[] {
  let sum = 0;
  let end = 0;
  return segments.map((segment) => {
    sum += segment.end - segment.start;
    const frames = Math.max(1, Math.round(sum * perSecond) - end);
    end += frames;
    return frames;
  });
}

function cutIntoPieces(parts: readonly PlannedPart[], timeOf: (part: PlannedPart, frame: number) => number): PlannedPiece[] {
  return parts.flatMap((part, index) => {
    const pieces: PlannedPiece[] = [];
    const alone = part.frames - part.overlapBefore - part.overlapAfter;
    if (alone > 0) pieces.push({ from: timeOf(part, part.overlapBefore), at: part.at + part.overlapBefore, frames: alone });
    const next = parts[index + 1];
    if (next !== undefined && part.overlapAfter > 0) {
      pieces.push({
        from: timeOf(part, part.frames - part.overlapAfter),
        at: next.at,
        frames: part.overlapAfter,
        into: { from: next.from },
      });
    }
    return pieces;
  });
}
