import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import type { VideoSettings } from '../config/videoSettings.ts';
import type { Warning } from '../engine/analysis/analysis.ts';
import type { MediaInfo } from '../engine/media/mediaInfo.ts';
import type { EngineCalls } from '../engine/process/engineCalls.ts';
import { parseSubtitles, type Cue } from '../engine/selection/subtitles.ts';
import { formatSubtitles } from './formatSubtitles.ts';
import { openTranscriptionService, TranscriptionFault } from './transcriptionService.ts';

interface SoundToTranscribe {
  settings: VideoSettings;
  timers: Timers;
  info: MediaInfo;
  /** Language that the request names, such as `en` or `ger`; null without one. */
  language: string | null;
  /** Folder for one part of the sound. */
  folder: string;
  /** SubRip of the beginning of the sound until `to`, seconds, which was transcribed before; null if nothing was. */
  begun: { text: string; to: number } | null;
  /** Writes a part of the sound to a file, see the engine's call `speech`. */
  take(ask: Pick<EngineCalls['speech']['ask'], 'from' | 'file'>): Promise<EngineCalls['speech']['answer']>;
  /** Stores the text until `to`, seconds, which is not the end of the sound. */
  keep(text: string, to: number): Promise<void>;
  signal: AbortSignal;
  /** Receives the transcribed share, 0–1. */
  progress(fraction: number): void;
}

/** The transcription of a video. */
export interface Transcript {
  /** SubRip; empty without speech, and without a service. */
  text: string;
  warnings: readonly Warning[];
  /** Whether the sound was transcribed to its end. */
  whole: boolean;
}

/** Whether the sound of a video is transcribed: a service is configured, and the file has sound and no text subtitles. */
export function isTranscribed({ video_transcription_url: url }: VideoSettings, { subtitles, audio }: MediaInfo): boolean {
  return url !== undefined && audio !== null && subtitles.length === 0;
}

/**
 * Transcribes the sound of a video with the service of the settings, part by part, from where an earlier attempt ended. If the service fails, the result is the text until then, and a warning.
 * @throws the reason of the signal; what `take` throws
 */
export async function transcribeSound({ settings, timers, info, language, folder, begun, take, keep, signal, progress }: SoundToTranscribe): Promise<Transcript> {
  const service = openTranscriptionService(settings, timers);
  if (service === null) return { text: '', warnings: [], whole: false };
  const file = join(folder, 'speech.wav');
  const cues: Cue[] = begun === null ? [] : parseSubtitles(begun.text);
  let from = begun?.to ?? 0;
  try {
    while (from < info.duration) {
      const { to } = await take({ from, file });
      const begin = from;
      const found = await service.transcribe(await readFile(file), { language: language === null ? null : spoken(language), signal });
      cues.push(...found.map(({ start, end, text }) => ({ start: begin + start, end: Math.min(to, begin + end), text })));
      from = to;
      if (from < info.duration) await keep(formatSubtitles(cues), from);
      progress(from / info.duration);
    }
    return { text: formatSubtitles(cues), warnings: [], whole: true };
  } catch (error) {
    if (!(error instanceof TranscriptionFault)) throw error;
    const what = from === 0 ? 'The preview was made without a transcription' : `The sound after ${Math.round(from)} s was not transcribed`;
    return { text: formatSubtitles(cues), warnings: [{ code: 'transcription-unavailable', detail: `${what}. ${error.message}` }], whole: false };
  } finally {
    service.close();
  }
}

/** Services take ISO 639-1: `ger` and `deu` are `de`. */
function spoken(language: string): string | null {
  try {
    return new Intl.Locale(language.replaceAll('_', '-')).language;
  } catch {
    return null;
  }
}
