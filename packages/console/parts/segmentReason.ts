import type { RunRecord } from '@vouch/video/runs/run.schema';
import { clock, percent } from './words.ts';

type Reason = RunRecord['segments'][number]['reasons'][number] & { value?: number; also?: readonly number[]; shown?: number };

const texts: Readonly<Record<string, string>> = {
  motion: 'motion', sound: 'sound', speech: 'sound that resembles speech', novelty: 'unlike the rest of the video', diversity: 'unlike the other segments',
  text: 'subtitles', query: 'matches the query', included: 'requested by include_ranges', whole: 'the whole video fits',
};
/** Value from which motion or sound is unusual for the video; below, the values say nothing about the amount. */
const strong = 0.5;

/** Describes a reason of a segment, with its share of the score: `strong motion 45 %`. */
export function describeReason({ kind, share, value = 0, also = [], shown = 1 }: Reason): string {
  if (kind === 'repeat') return `shown ${shown === 1 ? 'once' : `${shown} times`}; also at ${also.map((time) => clock(time)).join(', ')}`;
  const grade = (kind === 'motion' || kind === 'sound') && value >= strong ? 'strong ' : '';
  return `${grade}${texts[kind] ?? kind} ${percent(share)}`;
}
