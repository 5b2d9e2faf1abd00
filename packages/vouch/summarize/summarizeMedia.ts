import { createHash } from 'node:crypto';
import { access, constants, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { OutboundHttp } from '@vouch/platform/outbound/outbound';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { Problem } from '@vouch/platform/errors/problem';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { isDiskFull } from '@vouch/platform/process/diskFull';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { downloadMedia } from '@vouch/video/download/downloadMedia';
import { clientFor } from '@vouch/video/download/clientFor';
import { downloadVideo } from '@vouch/video/download/downloadVideo';
import type { Tier, Warning } from '@vouch/video/engine/analysis/analysis';
import type { MediaInfo } from '@vouch/video/engine/media/mediaInfo';
import type { SummaryOptions } from '@vouch/video/engine/options/options.schema';
import type { RenderedFile } from '@vouch/video/engine/render/rendering';
import type { RejectedSegment, Segment } from '@vouch/video/engine/selection/selection';
import { decodeSubtitles } from '@vouch/video/engine/selection/decodeSubtitles';
import { parseSubtitles, type Cue } from '@vouch/video/engine/selection/subtitles';
import { openEngine, type OpenEngineRequest } from '@vouch/video/runs/openEngine';
import { nameMedia, nameMediaOf } from '@vouch/video/runs/nameMedia';
import { refuseOptions } from '@vouch/video/runs/refuseOptions';
import { warnOfSubtitles } from '@vouch/video/runs/subtitleWarnings';
import { isTranscribed, transcribeSound } from '@vouch/video/transcription/transcribeSound';
import { CommandFault } from '../terminal/commandFault.ts';
import { isAddress, mediaName } from './mediaName.ts';

type Stage = 'download' | 'probe' | 'analyse' | 'subtitles' | 'select' | 'render';

export interface SummarizeRequest {
  /** A path, or an http, https or s3 URL. */
  media: string;
  options: SummaryOptions;
  /** Path or URL of a SubRip or WebVTT file. */
  subtitles: string | null;
  /** Folder for the files; created if missing. */
  out: string;
  settings: OpenEngineRequest['settings'];
  outbound: OutboundHttp;
  system: SystemInterfaces;
  signal: AbortSignal;
  progress(stage: Stage, share: number): void;
  /** Called before the pauses of a download that is tried again, with a sentence for the user. */
  note(text: string): void;
}

export interface Summary {
  title: string;
  source: MediaInfo;
  engine: { backend: 'ffmpeg' | 'node-av'; version: string; analysis: Tier };
  /** Null in a tier that reports no shots. */
  shots: number | null;
  segments: readonly Segment[];
  rejected: readonly RejectedSegment[];
  warnings: readonly Warning[];
  files: readonly (RenderedFile & { bytes: number })[];
  /** Duration of each stage, in seconds. */
  timings: Record<string, number>;
}

/** Size limit of subtitles, in bytes. The subtitles of a film have 100 to 300 kB. */
const subtitleBytes = 4_194_304;

/**
 * Summarizes a file or URL into a folder without a server, with the same stages as a run of the HTTP interface. The files appear
 * in the folder only after all of them are complete. After a failure or a stop, the folder contains none of them.
 * @throws Problem with an explanation; the signal's reason if the signal aborts
 */
export async function summarizeMedia(request: SummarizeRequest): Promise<Summary> {
  const out = resolve(request.out);
  const parent = await existingFolder(out);
  // The work folder is a sibling of the output folder: if two concurrent runs worked inside the output folder, neither run could
  // tell whether it may remove that folder.
  const work = await mkdtemp(join(parent, '.vouch-summarize-')).catch((error: unknown) => {
    throw asUnwritable(error, parent);
  });
  try {
    return await summarizeWithin(request, out, work);
  } catch (error) {
    throw request.signal.aborted ? request.signal.reason : asFullDisk(error, parent);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Rewords a full-disk error for the command line, which has no data folder. Returns any other error unchanged. */
function asFullDisk(error: unknown, folder: string): unknown {
  if (!isDiskFull(error) && !(error instanceof Problem && error.code === 'storage-full')) return error;
  return platformErrors.problem('storage-full', `The disk of ${folder} became full; no files were left behind. Free space on this disk, or set --out to a folder on another disk.`, { cause: error });
}

/** Explains why a folder is not writable. Returns any other error unchanged. */
function asUnwritable(error: unknown, folder: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  // Linux reports ENOENT for every attempt to create a file in /proc.
  if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS' && code !== 'ENOENT') return asFullDisk(error, folder);
  return new Error(`${folder} is not writable (${code}). Set --out to a folder that you can write to.`, { cause: error });
}

/** Returns the folder if it exists, else its nearest existing parent, so that files can be renamed from one into the other. */
async function existingFolder(path: string): Promise<string> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    return null;
  });
  if (found === null && dirname(path) !== path) return existingFolder(dirname(path));
  if (found?.isDirectory() !== true) throw new CommandFault(exitCodes.usage, `${path} is not a folder. Set --out to an existing folder or to a new path.`);
  return path;
}

async function summarizeWithin(request: SummarizeRequest, out: string, work: string): Promise<Summary> {
  const { options, signal, system } = request;
  const timings: Record<string, number> = {};
  const timed = async <Result>(stage: Stage, run: (progress: (share: number) => void) => Promise<Result>): Promise<Result> => {
    signal.throwIfAborted();
    const from = system.clock.now();
    request.progress(stage, 0);
    const result = await run((share) => request.progress(stage, share));
    timings[stage] = (system.clock.now() - from) / 1000;
    return result;
  };
  // Normal priority (niceness 0): the user waits for the result, and no server competes for the CPU.
  const engine = openEngine({ settings: request.settings, signal, timers: system.timers, niceness: 0 });
  const title = mediaName(request.media);
  /** Path of the local media file; empty until the download has ended. */
  let path = '';
  const findCues = async (info: MediaInfo, progress: (share: number) => void): Promise<{ cues: readonly Cue[]; warnings: readonly Warning[] }> => {
    if (request.subtitles !== null) return readSubtitles(request, request.subtitles, work);
    if (!isTranscribed(request.settings, info)) return innerSubtitles(info);
    const { text, warnings } = await transcribeSound({
      settings: request.settings, timers: system.timers, info, language: options.subtitles_language ?? null, folder: work, signal, progress, begun: null,
      take: (part) => engine.call('speech', { path, info, ...part }), keep: async () => {},
    });
    return { cues: parseSubtitles(text), warnings };
  };
  const innerSubtitles = async (info: MediaInfo): Promise<{ cues: readonly Cue[]; warnings: readonly Warning[] }> => {
    const file = join(work, 'subtitles.srt');
    const { warnings } = await engine.call('subtitles', { path, info, language: options.subtitles_language ?? null, file });
    return { cues: parseSubtitles(await readFile(file, 'utf8')), warnings };
  };
  try {
    const fetched = isAddress(request.media)
      ? await timed('download', (progress) => downloadVideo(clientFor(request.media, { outbound: request.outbound, clock: system.clock }, request.settings), system, {
        url: request.media, folder: work, maxBytes: request.settings.video_max_bytes, maxSeconds: request.settings.video_max_seconds, signal, progress,
        interrupted: (detail, pauseMs) => request.note(`${firstSentence(detail)} Vouch tries again in ${(pauseMs / 1000).toFixed(1)} s.`),
        join: async (files) => (await engine.call('join', files)).joined,
      }))
      : { path: await localFile(request.media), warnings: [] };
    path = fetched.path;
    const analysisFile = join(work, 'analysis');
    const source = await timed('probe', () => engine.call('probe', { path, options }));
    refuseOptions(options, source.duration);
    const { tier, shots, warnings: faults } = await timed('analyse', (progress) =>
      engine.call('analyse', { path, info: source, tier: options.analysis ?? 'auto', analysisFile }, progress));
    const { cues, warnings: missed } = await timed('subtitles', (progress) => findCues(source, progress));
    const named = (warnings: readonly Warning[]): Warning[] => warnings.map(({ code, detail }) => ({ code, detail: nameMedia(detail, basename(path), title) }));
    const warnings = named([...fetched.warnings, ...missed]);
    const selected = await timed('select', () => engine.call('select', { path, analysisFile, options, cues }));
    const rendered = await timed('render', async (progress) => engine.call('render', {
      path, sourceHash: await nameOfSource(path), analysisFile, options, cues,
      folder: join(work, 'outputs'), pieceFolder: join(work, 'pieces'), title, report: { warnings },
    }, progress));
    const { name, version } = await engine.call('backend', {});
    return {
      title, source, shots, timings,
      engine: { backend: name, version, analysis: tier },
      segments: selected.segments,
      rejected: selected.rejected,
      warnings: [...warnings, ...named([...faults, ...selected.warnings, ...rendered.warnings])],
      files: await place(rendered.files, out),
    };
  } catch (error) {
    const fault = nameMediaOf(error, basename(path), title);
    throw fault instanceof Problem ? fault.withDetail(nameUrl(fault.detail)) : fault;
  } finally {
    await engine.stopped();
  }
}

/** The cause without the advice, which is not for a download that is tried again. */
function firstSentence(detail: string): string {
  return /^.*?\.(?= |$)/.exec(detail)?.[0] ?? detail;
}

/** Rewords a sentence of the HTTP interface: on the command line, the video is an argument and not the field `media_url`. */
function nameUrl(detail: string): string {
  return detail.replaceAll('media_url', 'the URL');
}

async function localFile(media: string): Promise<string> {
  const found = await stat(media).catch(() => null);
  if (found === null) throw new CommandFault(exitCodes.input, `The file ${media} does not exist. Use the path of a video, or a URL that begins with http://, https:// or s3://.`);
  if (!found.isFile()) throw new CommandFault(exitCodes.input, `${media} is not a file. Use the path of one video.`);
  await access(media, constants.R_OK).catch((error: unknown) => {
    throw new CommandFault(exitCodes.input, `You cannot read ${media}. Change the permissions of the file, or use a readable copy.`, { cause: error });
  });
  return resolve(media);
}

/** Reads the subtitles. Subtitles are optional: if they cannot be read, the preview is made without them. */
async function readSubtitles(request: SummarizeRequest, subtitles: string, work: string): Promise<{ cues: readonly Cue[]; warnings: Warning[] }> {
  const read = async (path: string): Promise<{ cues: readonly Cue[]; warnings: Warning[] }> => {
    const { text, assumed } = decodeSubtitles(await readFile(path));
    const cues = parseSubtitles(text);
    return { cues, warnings: warnOfSubtitles(isAddress(subtitles) ? 'the URL of the subtitles' : subtitles, cues, assumed) };
  };
  if (!isAddress(subtitles)) return read(await localFile(subtitles));
  const folder = join(work, 'subtitles');
  await mkdir(folder);
  try {
    const { path } = await downloadMedia(request.outbound, request.system, { url: subtitles, folder, maxBytes: subtitleBytes, signal: request.signal });
    return await read(path);
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'storage-full') throw error;
    return { cues: [], warnings: [{ code: 'subtitles-unavailable', detail: `The preview was made without subtitles. ${error.detail}` }] };
  }
}

/** The name comes from path, size and modification time instead of the content, because pieces are not kept beyond this run. */
async function nameOfSource(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  return createHash('sha256').update(JSON.stringify([path, size, mtimeMs])).digest('hex');
}

async function place(files: readonly RenderedFile[], out: string): Promise<(RenderedFile & { bytes: number })[]> {
  await makeFolder(out);
  const placed = [];
  for (const file of files) {
    const path = join(out, basename(file.path));
    await rename(file.path, path);
    placed.push({ ...file, path, bytes: (await stat(path)).size });
  }
  return placed;
}
