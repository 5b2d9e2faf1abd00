import { atLeastTen } from '../../media/frameRates.ts';
import type { FrameRate } from '../../media/mediaBackend.ts';
import type { MediaInfo } from '../../media/mediaInfo.ts';
import { describeReason, formatShare } from '../../report/describeReason.ts';
import type { RejectedSegment, Selection, SegmentReason } from '../../selection/selection.ts';

/** A segment's position in the preview, in frames of the edit list. Neighbouring parts overlap if they are crossfaded. */
interface EditPart {
  /** Presentation time of the first frame in the source, seconds. */
  from: number;
  /** Index of the first frame in the preview. */
  at: number;
  frames: number;
  /** Number of frames shared with the previous part and with the next part. */
  overlapBefore: number;
  overlapAfter: number;
}

/** Why a segment is in the preview, at a frame of the source. */
export interface EditMarker {
  text: string;
  frame: number;
  share: number;
}

/** One segment; all positions and lengths in frames. */
export interface EditClip {
  name: string;
  /** First frame in the source. */
  from: number;
  /** First frame in the preview. */
  at: number;
  frames: number;
  overlapBefore: number;
  overlapAfter: number;
  score: number;
  markers: readonly EditMarker[];
}

/** A moment that is not in the preview; positions in frames of the source. */
export interface UnusedClip {
  from: number;
  frames: number;
  score: number;
  why: RejectedSegment['why'];
  detail: string;
}

/** The selection as editing programs describe it: frames of the source, and their places in the preview. */
export interface EditList {
  /** File name of the source, by which an editing program finds the media again; contains no control characters. */
  media: string;
  rate: FrameRate;
  /** Lengths of the source and of the preview, frames. */
  mediaFrames: number;
  frames: number;
  width: number;
  height: number;
  sound: { channels: number; sampleRate: number } | null;
  clips: readonly EditClip[];
  unused: readonly UnusedClip[];
}

interface EditFacts {
  /** File name of the source; untrusted text. */
  title: string;
  info: Pick<MediaInfo, 'duration' | 'video' | 'audio'>;
  selection: Pick<Selection, 'segments' | 'rejected'>;
  /** The segments in the order of the preview, planned at `editRate`. */
  parts: readonly EditPart[];
}

/**
 * The frame rate of edit lists: the rate of the source. A rate within 0.1 % of a whole number or of a television rate (such as 30000/1001) is
 * that rate, because containers store rounded durations. A variable rate becomes the nearest whole number. A rate below 10 is multiplied by a
 * whole number, because a preview may cut within a frame that is shown for seconds.
 */
export function editRate({ frameRate, variableFrameRate }: MediaInfo['video']): FrameRate {
  const perSecond = frameRate.numerator / frameRate.denominator;
  if (!(perSecond > 0) || !Number.isFinite(perSecond)) return { numerator: 25, denominator: 1 };
  const whole = Math.max(1, Math.round(perSecond));
  // The television rate lies 0.1 % below the whole number, so the nearer of the two is meant.
  const near = [{ numerator: whole, denominator: 1 }, { numerator: whole * 1000, denominator: 1001 }]
    .map((rate) => ({ rate, distance: Math.abs(rate.numerator / rate.denominator / perSecond - 1) }))
    .toSorted((a, b) => a.distance - b.distance)[0]!;
  const rate = near.distance < 0.0004 ? near.rate : variableFrameRate ? { numerator: whole, denominator: 1 } : frameRate;
  return perSecond < 10 ? atLeastTen(rate) : rate;
}

/** Builds the edit list that `describeOtio`, `describeEdl` and `describeFcpxml` write. */
export function buildEditList({ title, info, selection, parts }: EditFacts): EditList {
  const rate = editRate(info.video);
  const toFrame = (seconds: number): number => Math.round((seconds * rate.numerator) / rate.denominator);
  const clips = parts.map(({ from, at, frames, overlapBefore, overlapAfter }, index): EditClip => {
    const segment = selection.segments[index]!;
    const first = toFrame(from);
    const markers = segment.reasons.map((reason) => ({
      text: clean(`${describeReason(reason)} (${formatShare(reason)})`),
      frame: clamp(toFrame(timeOf(reason) ?? from), first, first + frames - 1),
      share: reason.share,
    }));
    return { name: clean(segment.title ?? `Segment ${index + 1}`), from: first, at, frames, overlapBefore, overlapAfter, score: segment.score, markers };
  });
  const last = clips.at(-1);
  return {
    media: clean(title), rate, clips,
    mediaFrames: Math.max(toFrame(info.duration), ...clips.map(({ from, frames }) => from + frames)),
    frames: last === undefined ? 0 : last.at + last.frames,
    width: info.video.width, height: info.video.height,
    sound: info.audio === null ? null : { channels: info.audio.channels, sampleRate: info.audio.sampleRate },
    unused: selection.rejected.map(({ start, end, score, why, detail }) => (
      { from: toFrame(start), frames: Math.max(1, toFrame(end) - toFrame(start)), score, why, detail: clean(detail) })),
  };
}

/**
 * The clip as it lies between two cuts: without the frames that only a crossfade shows, which editing programs take from the media beside the
 * clip. A cut is in the middle of its crossfade.
 */
export function betweenCuts({ from, at, frames, overlapBefore, overlapAfter }: EditClip): { from: number; at: number; frames: number } {
  const before = Math.floor(overlapBefore / 2);
  return { from: from + before, at: at + before, frames: frames - before - (overlapAfter - Math.floor(overlapAfter / 2)) };
}

function timeOf(reason: SegmentReason): number | null {
  return 'at' in reason ? reason.at : null;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Control characters could begin another line of an EDL, and XML does not allow them. */
function clean(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029\uFFFE\uFFFF]+/gu, ' ').trim();
}
