import type { Warning } from '../engine/analysis/analysis.ts';

/**
 * Makes the warning for a subtitle file without cues, for example a sign-in page or a file in another format or encoding.
 * @param place the option that names the file, e.g. `subtitles_url`
 */
export function emptySubtitles(place: string): Warning {
  return {
    code: 'subtitles-empty',
    detail: `The subtitle file (${place}) contains no SubRip or WebVTT cue, so segments have no titles and no text. Use one of these two formats, in UTF-8.`,
  };
}
