import type { Warning } from '../engine/analysis/analysis.ts';

/**
 * What is said where a file of subtitles gives none: a page that asks to sign in, another format or encoding looks like that.
 * @param place e.g. `subtitles_url`
 */
export function emptySubtitles(place: string): Warning {
  return {
    code: 'subtitles-empty',
    detail: `What ${place} names holds no line of SubRip or WebVTT subtitles, so segments have no titles and no text. Give one of these two formats, in UTF-8.`,
  };
}
