import type { Warning } from '../engine/analysis/analysis.ts';
import type { Cue } from '../engine/selection/subtitles.ts';

/**
 * Warns of a subtitle file without cues, for example a sign-in page or a file in another format, and of cues whose encoding was assumed.
 * @param place the option that names the file, e.g. `subtitles_url`
 * @param assumed whether the bytes were read as Windows-1252 because they are not UTF-8
 */
export function warnOfSubtitles(place: string, cues: readonly Cue[], assumed: boolean): Warning[] {
  if (cues.length === 0) {
    return [{
      code: 'subtitles-empty',
      detail: `The subtitle file (${place}) contains no SubRip or WebVTT cue, so segments have no titles and no text. Use one of these two formats, in UTF-8.`,
    }];
  }
  if (!assumed) return [];
  return [{
    code: 'subtitles-encoding',
    detail: `The subtitle file (${place}) is not UTF-8, so it was read as Windows-1252. If titles show wrong letters, convert the file to UTF-8.`,
  }];
}
