import { isHeld, shownFrame } from '../media/heldPictures.ts';
import { nearestFrame } from '../media/nearestFrame.ts';
import type { CropPath, FrameRate } from '../media/mediaBackend.ts';

/** Sample rate of a preview's sound, Hz; the sound is always stereo. */
export const soundRate = 48_000;

/** A segment's position in the preview. Neighbouring parts overlap if they are crossfaded. */
export interface PlannedPart {
  /** Time of the part's first frame in the source, seconds. */
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
  /** Presentation time of the picture that is shown at `from`, if it is held from before; seconds. */
  shown?: number;
  at: number;
  frames: number;
  /** Positions of the crop, if the preview shows a part of the pictures. */
  crop?: CropPath;
  into?: { from: number; shown?: number; crop?: CropPath };
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
  const startOf = (part: PlannedPart, frame: number): Start => {
    const time = part.from + frame / perSecond;
    if (isHeld(frameTimes, time)) return { from: time, shown: shownFrame(frameTimes, time) };
    return { from: frame === 0 ? part.from : nearestFrame(frameTimes, time) };
  };
  return { rate, frames: at, parts, pieces: cutIntoPieces(parts, startOf) };
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

type Start = Pick<PlannedPiece, 'from' | 'shown'>;

function cutIntoPieces(parts: readonly PlannedPart[], startOf: (part: PlannedPart, frame: number) => Start): PlannedPiece[] {
  return parts.flatMap((part, index) => {
    const pieces: PlannedPiece[] = [];
    const alone = part.frames - part.overlapBefore - part.overlapAfter;
    if (alone > 0) pieces.push({ ...startOf(part, part.overlapBefore), at: part.at + part.overlapBefore, frames: alone });
    const next = parts[index + 1];
    if (next !== undefined && part.overlapAfter > 0) {
      pieces.push({
        ...startOf(part, part.frames - part.overlapAfter),
        at: next.at,
        frames: part.overlapAfter,
        into: startOf(next, 0),
      });
    }
    return pieces;
  });
}
