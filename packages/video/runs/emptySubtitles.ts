import type { Warning } from '../engine/analysis/analysis.ts';

/**
 * The warning for a subtitle file without cues: a sign-in page, another format or another encoding.
 * @param place where the caller named the file, e.g. `subtitles_url`
 */
export function emptySubtitles(place: string): Warning {
  return {
    code: 'subtitles-empty',
    detail: `The subtitle file (${place}) contains no SubRip or WebVTT cue, so segments have no titles and no text. Use one of these two formats, in UTF-8.`,
  };
}
