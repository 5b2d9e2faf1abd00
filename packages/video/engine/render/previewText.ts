import { cueTime } from '../media/cueTime.ts';
import type { FrameRate } from '../media/mediaBackend.ts';
import { formatTime } from '../selection/formatTime.ts';
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
 * The subtitles of the segments at the times of the preview. A subtitle that a cut interrupts ends at the cut; in a crossfade, the subtitles change in
 * the middle.
 */
export function previewCues(played: Played, cues: readonly Cue[]): Cue[] {
  return spansOf(played).flatMap(({ shift, ...span }) => cues
    .map(({ start, end, text }) => ({ start: Math.max(span.start, start + shift), end: Math.min(span.end, end + shift), text }))
    .filter(({ start, end }) => end - start >= shortest));
}

/** The subtitles of `previewCues` as WebVTT. */
export function captionsVtt(played: Played, cues: readonly Cue[]): string {
  return writeVtt(previewCues(played, cues));
}

/** One chapter per segment at its time in the preview, as WebVTT; named by the segment's title, or by its time in the video. */
export function chaptersVtt(played: Played, segments: readonly Pick<Segment, 'start' | 'title'>[]): string {
  return writeVtt(spansOf(played).map(({ start, end }, index) => ({ start, end, text: segments[index]!.title ?? `From ${formatTime(segments[index]!.start)}` })));
}

/** Time of each part in the preview, from the middle of one crossfade to the middle of the next; `shift` is the difference to the time in the video. */
function spansOf({ rate, parts }: Played): { start: number; end: number; shift: number }[] {
  const seconds = (frames: number): number => (frames * rate.denominator) / rate.numerator;
  return parts.map(({ from, at, frames, overlapBefore, overlapAfter }) => (
    { start: seconds(at + overlapBefore / 2), end: seconds(at + frames - overlapAfter / 2), shift: seconds(at) - from }));
}

function writeVtt(cues: readonly Cue[]): string {
  return ['WEBVTT', ...cues.map(({ start, end, text }) => `${cueTime(start)} --> ${cueTime(end)}\n${escape(text)}`)].join('\n\n').concat('\n');
}

/** The text of a cue must not begin a tag or an entity, and `-->` would begin a cue. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
