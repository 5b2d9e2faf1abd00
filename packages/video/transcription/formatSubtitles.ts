import { cueTime } from '../engine/media/cueTime.ts';
import type { Cue } from '../engine/selection/subtitles.ts';

/** Writes cues as SubRip. Cues without a length are left out. */
export function formatSubtitles(cues: readonly Cue[]): string {
  return cues.filter(({ start, end }) => start >= 0 && end > start)
    .map(({ start, end, text }, at) => `${at + 1}\n${cueTime(start, ',')} --> ${cueTime(end, ',')}\n${text.replace(/\s+/g, ' ').replaceAll('-->', '→').trim()}\n`).join('\n');
}
