import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInterruption } from '@vouch/platform/process/childEnd';
import { runChild } from '@vouch/platform/process/childProcess';
import type { Timers } from '@vouch/platform/process/systemInterfaces';

/** Oldest version with all options in use; `-fps_mode` was added in 5.1. */
export const oldestFfmpeg = '5.1';

/** An installed ffmpeg and its abilities. */
export interface FfmpegPrograms {
  ffmpeg: string;
  ffprobe: string;
  /** Version as printed by the program, e.g. `5.1.9-0+deb12u1`. */
  version: string;
  major: number;
  /** Names of the codecs that this FFmpeg decodes; queried at the first call. */
  decodes(): Promise<ReadonlySet<string>>;
  /** Names of the encoders of this FFmpeg; queried at the first call. */
  encoders(): Promise<ReadonlySet<string>>;
  /** Names of the filters of this FFmpeg; queried at the first call. */
  filters(): Promise<ReadonlySet<string>>;
}

/** An ffmpeg cannot be used. The message names the program and suggests a fix. */
export class FfmpegUnusable extends Error {
  override readonly name = 'FfmpegUnusable';
}

/**
 * Queries the version and the abilities of an ffmpeg.
 * @param command a path, or `ffmpeg` to search PATH; ffprobe is searched in the same folder, then in PATH
 * @throws FfmpegUnusable if ffmpeg or ffprobe cannot be run or is older than 5.1; ChildFailed if somebody ended it or it did not answer in time
 */
export async function askFfmpeg(command: string, timers: Timers): Promise<FfmpegPrograms> {
  const ask = async (program: string, ...args: string[]): Promise<string> => {
    try {
      return await runChild({ command: program, args: ['-hide_banner', ...args], limits: { wallMs: 20_000, outputBytes: 4_000_000 } }, timers);
    } catch (error) {
      if (isInterruption(error)) throw error;
      throw new FfmpegUnusable(`${program} cannot be run: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const ffprobe = probeBeside(command);
  const [told, probed] = await Promise.allSettled([ask(command, '-version'), ask(ffprobe, '-version')]);
  // A fault of ffmpeg itself has priority: an old ffmpeg must be replaced, whether or not ffprobe exists.
  if (told.status === 'rejected') throw told.reason;
  const version = versionOf(told.value);
  if (version === null) throw new FfmpegUnusable(`${command} did not print a version like ffmpeg; it may be another program`);
  if (!isNewEnough(version)) {
    throw new FfmpegUnusable(`${command} is FFmpeg ${version.text}, older than ${oldestFfmpeg}; install a newer version, or set FFMPEG_PATH=none to use the libraries from npm`);
  }
  if (probed.status === 'rejected') throw probed.reason;
  return {
    ffmpeg: command,
    ffprobe,
    version: version.text,
    major: version.major,
    decodes: once(async () => names(await ask(command, '-codecs'), /^ D.{5} (\S+)/gm)),
    encoders: once(async () => names(await ask(command, '-encoders'), /^ [VAS][.A-Z]{5} (\S+)/gm)),
    filters: once(async () => names(await ask(command, '-filters'), /^ [.A-Z|]{2,3} (\S+)/gm)),
  };
}

function once<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  return () => (answer ??= ask());
}

interface FfmpegVersion {
  text: string;
  major: number;
  minor: number;
}

/**
 * Parses the version. Releases print `ffmpeg version 5.1.9…` or `n7.0`; development builds print `N-123456-g…` or a date and
 * count as new.
 */
function versionOf(answer: string): FfmpegVersion | null {
  const text = /^ffmpeg version (\S+)/.exec(answer)?.[1];
  if (text === undefined) return null;
  const numbers = /^n?(\d{1,3})\.(\d+)/.exec(text);
  return numbers === null
    ? { text, major: Number.POSITIVE_INFINITY, minor: 0 }
    : { text: text.replace(/^n/, ''), major: Number(numbers[1]), minor: Number(numbers[2]) };
}

function isNewEnough({ major, minor }: FfmpegVersion): boolean {
  return major > 5 || (major === 5 && minor >= 1);
}

function probeBeside(command: string): string {
  if (!command.includes('/')) return 'ffprobe';
  const beside = join(dirname(command), 'ffprobe');
  return existsSync(beside) ? beside : 'ffprobe';
}

function names(answer: string, pattern: RegExp): ReadonlySet<string> {
  return new Set([...answer.matchAll(pattern)].map((match) => match[1] ?? ''));
}
