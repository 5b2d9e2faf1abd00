import { Problem } from '@vouch/platform/errors/problem';
import type { Warning } from '../analysis/analysis.ts';
import type { MediaBackend } from '../media/mediaBackend.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';

interface InnerSubtitles {
  backend: Pick<MediaBackend, 'subtitles'>;
  path: string;
  info: MediaInfo;
  /** BCP 47 or ISO 639 code, e.g. `en`, `eng` or `ger`; null for the first track. */
  language: string | null;
  signal: AbortSignal;
}

/**
 * Reads the text subtitles inside a video file. Subtitles are optional: if they cannot be read, the result is empty text and a warning.
 * @returns SubRip; empty if the file has no text subtitles in the language
 */
export async function readSubtitles({ backend, path, info, language, signal }: InnerSubtitles): Promise<{ text: string; warnings: Warning[] }> {
  const track = info.subtitles.find((each) => language === null || (each.language !== null && languageOf(each.language) === languageOf(language)));
  if (track === undefined) return { text: '', warnings: language === null ? [] : [notFound(info, language)] };
  try {
    return { text: await backend.subtitles({ path, info, stream: track.stream, codec: track.codec, signal }), warnings: [] };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { text: '', warnings: [{ code: 'subtitles-unavailable', detail: `The preview was made without the subtitles of the video file. ${error.detail}` }] };
  }
}

/** Containers name a language by any of several codes: `ger`, `deu` and `de` are one language. */
function languageOf(code: string): string {
  try {
    return new Intl.Locale(code.replaceAll('_', '-')).language;
  } catch {
    return code.toLowerCase();
  }
}

function notFound({ subtitles }: MediaInfo, language: string): Warning {
  const tracks = subtitles.map((track) => `${track.language ?? 'unknown language'} (${track.codec})`).join(', ');
  return {
    code: 'subtitles-not-found',
    detail: `The video file has no subtitles in the language ${language}; ${subtitles.length === 0 ? 'it has no text subtitles' : `it has ${tracks}`}. The preview was made without subtitles.`,
  };
}
