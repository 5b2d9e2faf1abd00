import type { FrameRate } from '../media/mediaBackend.ts';
import { formatTime } from '../report/describeReason.ts';
import type { Segment } from '../selection/selection.ts';
import type { Cue } from '../selection/subtitles.ts';
import type { PlannedPart } from './previewPlan.ts';

/** Shorter remains of a subtitle at the edge of a segment cannot be read, seconds. */
const shortest = 0.3;

interface Played {
  rate: FrameRate;
  parts: readonly PlannedPart[];
}

/**
 * The subtitles of the segments at the times of the preview, as WebVTT. A subtitle that a cut interrupts ends at the cut; in a crossfade, the
 * subtitles change in the middle.
 */
export function captionsVtt({ rate, parts }: Played, cues: readonly Cue[]): string {
  const seconds = (frames: number): number => (frames * rate.denominator) / rate.numerator;
  const captions = parts.flatMap(({ from, at, frames, overlapBefore, overlapAfter }) => {
    const shift = seconds(at) - from;
    const first = seconds(at + overlapBefore / 2);
    const last = seconds(at + frames - overlapAfter / 2);
    return cues
      .map(({ start, end, text }) => ({ start: Math.max(first, start + shift), end: Math.min(last, end + shift), text }))
      .filter(({ start, end }) => end - start >= shortest);
  });
  return writeVtt(captions);
}

/** One chapter per segment at its time in the preview, as WebVTT; named by the segment's title, or by its time in the video. */
export function chaptersVtt({ rate, parts }: Played, segments: readonly Pick<Segment, 'start' | 'title'>[]): string {
  const seconds = (frames: number): number => (frames * rate.denominator) / rate.numerator;
  return writeVtt(parts.map(({ at, frames, overlapBefore, overlapAfter }, index) => ({
    start: seconds(at + overlapBefore / 2), end: seconds(at + frames - overlapAfter / 2),
    text: segments[index]!.title ?? `From ${formatTime(segments[index]!.start)}`,
  })));
}

function writeVtt(cues: readonly Cue[]): string {
  return ['WEBVTT', ...cues.map(({ start, end, text }) => `${timestamp(start)} --> ${timestamp(end)}\n${escape(text)}`)].join('\n\n').concat('\n');
}

function timestamp(seconds: number): string {
  const thousandths = Math.round(seconds * 1000);
  const parts = [thousandths / 3_600_000, (thousandths / 60_000) % 60, (thousandths / 1000) % 60].map((part) => String(Math.floor(part)).padStart(2, '0'));
  return `${parts.join(':')}.${String(thousandths % 1000).padStart(3, '0')}`;
}

/** The text of a cue must not begin a tag or an entity, and `-->` would begin a cue. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
