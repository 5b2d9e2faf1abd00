import { shorten } from '@vouch/platform/errors/shorten';
import { formatTime, formatWithin } from '../selection/formatTime.ts';
import type { SegmentReason } from '../selection/selection.ts';

/** Describes one reason as a phrase, without its share. */
export function describeReason(reason: SegmentReason): string {
  switch (reason.kind) {
    case 'motion':
      return `${grade(reason.value)} motion, strongest at ${formatTime(reason.at)}`;
    case 'sound':
      return `${grade(reason.value)} sound, strongest at ${formatTime(reason.at)}`;
    case 'speech':
      return `sound that resembles speech, clearest at ${formatTime(reason.at)}`;
    case 'novelty':
      return `unlike other parts of the video, most at ${formatTime(reason.at)}`;
    case 'diversity':
      return `${Math.round(reason.value * 100)} % different in colour layout from the other segments`;
    case 'text':
      return `spoken text: “${reason.text}”`;
    case 'query':
      return `matches the query at ${formatTime(reason.at)}: “${reason.text}”`;
    case 'repeat':
      return `shown ${reason.shown === 1 ? 'once' : `${reason.shown} times`}; ${reason.shown === 1 ? 'also' : 'occurs'} at ${reason.also.map(formatTime).join(', ')}`;
    case 'included':
      return 'required by the options';
    case 'whole':
      return 'the video is not longer than the preview';
  }
}

/** Formats the share of a reason in its segment's score as a percentage; a dash for a reason that is a fact without a share. */
export function formatShare({ kind, share }: SegmentReason): string {
  return kind === 'repeat' ? '–' : `${Math.round(share * 100)} %`;
}

/** Lists the strongest reasons on one line, for tables: `sound at 0:17.5 (26 %), different from the rest (22 %)`. */
export function listReasons(reasons: readonly SegmentReason[], most = 3): string {
  return reasons.filter(({ kind }) => kind !== 'repeat').slice(0, most).map((reason) => `${nameReason(reason)} (${formatShare(reason)})`).join(', ');
}

function nameReason(reason: SegmentReason): string {
  switch (reason.kind) {
    case 'diversity':
      return 'different from the rest';
    case 'text':
      return `“${shorten(reason.text, 30)}”`;
    case 'repeat':
      return describeReason(reason);
    case 'included':
      return 'required';
    case 'whole':
      return 'whole video';
    default:
      return `${reason.kind} at ${formatTime(reason.at)}`;
  }
}

/**
 * Describes a value between 0 and 1, which is relative to the whole video and to the surroundings: a low value says that the motion or sound is
 * usual there, and not how much there is. A concert is loud throughout, and has low values.
 */
function grade(value: number): string {
  if (value >= 0.8) return 'outstanding';
  if (value >= 0.5) return 'strong';
  return value >= 0.25 ? 'some' : 'ordinary';
}

/** Formats a part of a length and the length: `23.6 s of 52.2 s`, or `0:23.6 of 1:52.2` from one minute on. */
export function formatPart(seconds: number, whole: number): string {
  return `${formatWithin(seconds, whole)} of ${formatWithin(whole, whole)}`;
}

/** Formats a number of things: `1 shot`, `2 shots`. */
export function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
