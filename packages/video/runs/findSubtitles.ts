import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobContext } from '@vouch/platform/jobs/job';
import type { Platform } from '@vouch/platform/product/product';
import type { VideoSettings } from '../config/videoSettings.ts';
import type { Warning } from '../engine/analysis/analysis.ts';
import type { MediaInfo } from '../engine/media/mediaInfo.ts';
import type { SummaryOptions } from '../engine/options/options.schema.ts';
import type { EngineCalls } from '../engine/process/engineCalls.ts';
import { decodeSubtitles } from '../engine/selection/decodeSubtitles.ts';
import { parseSubtitles } from '../engine/selection/subtitles.ts';
import { isTranscribed, transcribeSound } from '../transcription/transcribeSound.ts';
import { fetchSubtitles } from './fetchSubtitles.ts';
import type { BegunTranscript } from './runStore.ts';
import { warnOfSubtitles } from './subtitleWarnings.ts';

interface SubtitleSources {
  platform: Platform;
  settings: VideoSettings;
  context: JobContext;
  options: SummaryOptions;
  info: MediaInfo;
  /** Blob of the transcription of an earlier run; null without one. */
  kept: string | null;
  /** What an earlier attempt at the run transcribed; null without one. */
  begun: BegunTranscript | null;
  /** Stores what this attempt has transcribed. */
  keep(begun: BegunTranscript): Promise<void>;
  /** Returns the local path of the media. */
  path(): Promise<string>;
  ask<Name extends 'subtitles' | 'speech'>(name: Name, ask: EngineCalls[Name]['ask']): Promise<EngineCalls[Name]['answer']>;
}

/** Subtitles as a blob; null without subtitles. */
interface FoundSubtitles {
  blob: string | null;
  /** Blob of a transcription of the whole sound, for later runs; null without one. */
  transcript: string | null;
  warnings: readonly Warning[];
}

/** Returns the subtitles of `subtitles_url`, otherwise those inside the file, otherwise a transcription of the sound if a service is configured. */
export async function findSubtitles(sources: SubtitleSources): Promise<FoundSubtitles> {
  const { settings, options, info } = sources;
  if (options.subtitles_url !== undefined) return { ...await givenSubtitles(sources, options.subtitles_url), transcript: null };
  if (isTranscribed(settings, info)) return transcription(sources);
  if (info.subtitles.length === 0 && options.subtitles_language === undefined) return { blob: null, transcript: null, warnings: [] };
  return { ...await innerSubtitles(sources), transcript: null };
}

async function givenSubtitles({ platform, context }: SubtitleSources, url: string): Promise<Omit<FoundSubtitles, 'transcript'>> {
  const fetched = await fetchSubtitles(platform, url, context.scratch, context.signal);
  if ('warning' in fetched) return { blob: null, warnings: [fetched.warning] };
  const { text, assumed } = decodeSubtitles(await readFile(await platform.blobs.localPath(fetched.blob)));
  return { blob: fetched.blob, warnings: warnOfSubtitles('options.subtitles_url', parseSubtitles(text), assumed) };
}

async function innerSubtitles({ platform, context, options, info, path, ask }: SubtitleSources): Promise<Omit<FoundSubtitles, 'transcript'>> {
  const file = join(context.scratch, 'subtitles.srt');
  const { warnings } = await ask('subtitles', { path: await path(), info, language: options.subtitles_language ?? null, file });
  const { size } = await stat(file);
  return { blob: size === 0 ? null : (await platform.blobs.putFile(file)).name, warnings };
}

async function transcription({ platform, settings, context, options, info, kept, begun, keep, path, ask }: SubtitleSources): Promise<FoundSubtitles> {
  const { blobs, timers } = platform;
  if (kept !== null && (await blobs.stat(kept)) !== null) return { blob: kept, transcript: kept, warnings: [] };
  const media = await path();
  const file = join(context.scratch, 'transcript.srt');
  const store = async (text: string): Promise<string> => {
    await writeFile(file, text);
    return (await blobs.putFile(file)).name;
  };
  const { text, warnings, whole } = await transcribeSound({
    settings, timers, info, language: options.subtitles_language ?? null, folder: context.scratch, signal: context.signal,
    begun: begun === null || (await blobs.stat(begun.blob)) === null ? null : { text: await readFile(await blobs.localPath(begun.blob), 'utf8'), to: begun.to },
    take: (part) => ask('speech', { path: media, info, ...part }),
    keep: async (part, to) => keep({ blob: await store(part), to }),
    progress: (fraction) => {
      if (!context.signal.aborted) context.progress(fraction);
    },
  });
  const name = await store(text);
  return { blob: name, transcript: whole ? name : null, warnings };
}
