import type { FrameRate } from '../../media/mediaBackend.ts';
import type { MediaInfo } from '../../media/mediaInfo.ts';
import { describeReason, formatShare } from '../../report/describeReason.ts';
import { frameNumber, timecodeOf, type Timecode } from './timecode.ts';
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
  /** First frame in the source, counted as its timecode counts. */
  from: number;
  /** First frame in the preview. */
  at: number;
  frames: number;
  overlapBefore: number;
  overlapAfter: number;
  score: number;
  markers: readonly EditMarker[];
}

/** A moment that is not in the preview; positions in frames of the source, counted as its timecode counts. */
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
  timecode: Timecode;
  /** Frame number of the timecode at which the source starts; 0 without timecode. */
  mediaStart: number;
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
 * Rates that timecode and editing programs count with, frames per second. OpenTimelineIO and Final Cut Pro refuse others, such as the 30.12 of a camera or the 12 of a screen recording.
 */
const editable = [24_000 / 1001, 24, 25, 30_000 / 1001, 30, 48_000 / 1001, 48, 50, 60_000 / 1001, 60].map((perSecond): FrameRate => (
  Number.isInteger(perSecond) ? { numerator: perSecond, denominator: 1 } : { numerator: Math.round(perSecond * 1001), denominator: 1001 }));
/** Containers store rounded durations, so a rate that differs by less than this share is the same rate. Whole and television rates differ by 0.1 %. */
const sameRate = 0.0004;
/** A variable or unusual rate becomes the next editable rate that is not lower by more than this share. */
const lower = 0.01;
const perSecondOf = ({ numerator, denominator }: FrameRate): number => numerator / denominator;

/**
 * The frame rate of edit lists, one of `editable`: the rate of the source, or a whole multiple of a lower rate, so that each of its frames begins at a frame of the edit list.
 * A rate above 60 becomes a whole part of it. Other rates and variable rates become the next higher rate, at most 60.
 */
export function editRate({ frameRate, variableFrameRate }: MediaInfo['video']): FrameRate {
  const source = perSecondOf(frameRate);
  if (!(source > 0) || !Number.isFinite(source)) return { numerator: 25, denominator: 1 };
  const farness = (rate: FrameRate, factor: number): number => Math.abs(perSecondOf(rate) / (source * factor) - 1);
  const most = perSecondOf(editable.at(-1)!);
  const factors = source > most ? [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5] : Array.from({ length: variableFrameRate ? 1 : Math.ceil(most / source) }, (_, index) => index + 1);
  for (const factor of factors) {
    const [nearest] = editable.toSorted((one, other) => farness(one, factor) - farness(other, factor));
    if (farness(nearest!, factor) < sameRate) return nearest!;
  }
  return editable.filter(({ denominator }) => denominator === 1).find((rate) => perSecondOf(rate) >= source * (1 - lower)) ?? editable.at(-1)!;
}

/** Builds the edit list that `describeOtio`, `describeEdl` and `describeFcpxml` write. */
export function buildEditList({ title, info, selection, parts }: EditFacts): EditList {
  const rate = editRate(info.video);
  const { timecode, mediaStart } = countFrames(info.video, rate);
  const toFrames = (seconds: number): number => Math.round((seconds * rate.numerator) / rate.denominator);
  const toFrame = (seconds: number): number => mediaStart + toFrames(seconds);
  const clips = parts.map(({ from, at, frames, overlapBefore, overlapAfter }, index): EditClip => {
    const segment = selection.segments[index]!;
    const first = toFrame(from);
    const cut = betweenCuts({ from: first, at, frames, overlapBefore, overlapAfter });
    const markers = segment.reasons.map((reason) => ({
      text: clean(`${describeReason(reason)} (${formatShare(reason)})`),
      frame: clamp(toFrame(timeOf(reason) ?? from), cut.from, cut.from + cut.frames - 1),
      share: reason.share,
    }));
    return { name: clean(segment.title ?? `Segment ${index + 1}`), from: first, at, frames, overlapBefore, overlapAfter, score: segment.score, markers };
  });
  const last = clips.at(-1);
  return {
    media: clean(title), rate, timecode, mediaStart, clips,
    mediaFrames: Math.max(toFrames(info.duration), ...clips.map(({ from, frames }) => from + frames - mediaStart)),
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
export function betweenCuts({ from, at, frames, overlapBefore, overlapAfter }: Pick<EditClip, 'from' | 'at' | 'frames' | 'overlapBefore' | 'overlapAfter'>): { from: number; at: number; frames: number } {
  const before = Math.floor(overlapBefore / 2);
  return { from: from + before, at: at + before, frames: frames - before - (overlapAfter - Math.floor(overlapAfter / 2)) };
}

/** The timecode of the source, by which editing programs find its frames. Only a source at the rate of the edit list has frames that its timecode can name. */
function countFrames({ timecode: text, frameRate, variableFrameRate }: MediaInfo['video'], rate: FrameRate): { timecode: Timecode; mediaStart: number } {
  const timecode = timecodeOf(rate, text?.includes(';') ?? false);
  const same = !variableFrameRate && Math.abs(perSecondOf(frameRate) / perSecondOf(rate) - 1) < lower;
  return { timecode, mediaStart: text === undefined || !same ? 0 : frameNumber(text, timecode) ?? 0 };
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
