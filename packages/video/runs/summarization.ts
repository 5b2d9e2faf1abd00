import { mkdir, readFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Connection } from '@vouch/platform/database/database';
import type { JobContext } from '@vouch/platform/jobs/job';
import type { Platform } from '@vouch/platform/product/product';
import { mediaFileName } from '../artifacts/downloadName.ts';
import { insertOutputs, type Output } from '../artifacts/outputStore.ts';
import { analysisVersion, type Warning } from '../engine/analysis/analysis.ts';
import type { MediaInfo } from '../engine/media/mediaInfo.ts';
import type { EngineCallName, EngineCalls } from '../engine/process/engineCalls.ts';
import type { EngineProcess } from '../engine/process/engineProcess.ts';
import { decodeSubtitles } from '../engine/selection/decodeSubtitles.ts';
import { parseSubtitles, type Cue } from '../engine/selection/subtitles.ts';
import type { VideoSettings } from '../config/videoSettings.ts';
import { uploadIdOf } from '../uploads/uploadUrl.ts';
import { fetchMedia, type FetchedMedia } from './fetchMedia.ts';
import { findSubtitles } from './findSubtitles.ts';
import { findKeptPieces, insertPieces } from './keptMedia.ts';
import { openEngine } from './openEngine.ts';
import { nameMedia, nameMediaOf } from './nameMedia.ts';
import { refuseOptions } from './refuseOptions.ts';
import { storeFindings, type Findings, type Run, type StoredAnalysis } from './runStore.ts';
import type { StageName } from './summarizeKind.ts';

const hourMs = 3_600_000;

interface FoundSubtitles {
  /** Blob of the subtitle text; null without subtitles. */
  subtitles: string | null;
}

interface Rendered {
  outputs: Output[];
  pieces: { name: string; blob: string }[];
}

/** What each stage stores in addition to its result. */
interface StageNotes {
  seconds: number;
  warnings: readonly Warning[];
}

interface StageEnd<Result> {
  result: Result;
  warnings?: readonly Warning[];
  findings?: Findings;
}

/**
 * One attempt at a run. Each stage ends with blobs and facts in its checkpoint, so a worker that takes over the run starts
 * after the last finished stage. The fields of the status are written before the checkpoint.
 */
export class Summarization {
  private readonly platform: Platform;
  private readonly settings: VideoSettings;
  private readonly context: JobContext;
  private readonly run: Run;
  private readonly engine: EngineProcess;
  /** Local path of the media, if this attempt downloaded the media and the blob store is remote. */
  private mediaPath: string | null = null;
  /** File name of the media, which the engine uses in its sentences; empty before the first call. */
  private mediaFile = '';
  /** Name of the media in sentences for the caller: the host of `media_url`. The path may contain a secret. */
  private readonly mediaName: string;
  private readonly notes = new Map<StageName, StageNotes>();

  constructor(platform: Platform, settings: VideoSettings, context: JobContext, run: Run) {
    this.platform = platform;
    this.settings = settings;
    this.context = context;
    this.run = run;
    this.mediaName = uploadIdOf(run.mediaUrl) === null ? `The file from ${new URL(run.mediaUrl).host}` : 'The uploaded file';
    this.engine = openEngine({ settings, signal: context.signal, timers: platform.timers, started: (processId) => context.watch(processId) });
  }

  /**
   * Runs all stages.
   * @returns function that writes the results; to call in the transaction that completes the job
   */
  async summarize(): Promise<(transaction: Connection) => Promise<void>> {
    const media = await this.stage('download', () => this.download());
    const info = await this.stage('probe', () => this.probe(media));
    refuseOptions(this.run.options, info.duration);
    const analysis = await this.stage('analyse', () => this.analyse(media, info));
    const found = await this.stage('subtitles', () => this.subtitles(media, info, analysis));
    const selected = await this.stage('select', () => this.select(media, analysis, found));
    const { outputs, pieces } = await this.stage('render', () => this.render(media, analysis, selected));
    return async (transaction) => {
      await insertOutputs(transaction, this.run.runId, outputs);
      await insertPieces(transaction, this.run.runId, pieces);
      await storeFindings(transaction, this.run.runId, { ...this.summary(), ...this.keeping() });
    };
  }

  /** Resolves when all processes of the attempt have ended. */
  stopped(): Promise<void> {
    return this.engine.stopped();
  }

  private async stage<Result>(name: StageName, work: () => Promise<StageEnd<Result>>): Promise<Result> {
    const { clock, database } = this.platform;
    const stored = await this.context.stage(name, async () => {
      const from = clock.now();
      const { result, warnings: found = [], findings = {} } = await work().catch((error: unknown) => {
        throw nameMediaOf(error, this.mediaFile, this.mediaName);
      });
      const warnings = found.map(({ code, detail }) => ({ code, detail: nameMedia(detail, this.mediaFile, this.mediaName) }));
      const notes: StageNotes = { seconds: (clock.now() - from) / 1000, warnings };
      this.notes.set(name, notes);
      await storeFindings(database, this.run.runId, { ...this.summary(), ...findings });
      return { result, notes };
    });
    this.notes.set(name, stored.notes);
    return stored.result;
  }

  private async download(): Promise<StageEnd<FetchedMedia>> {
    const { warnings, path, ...media } = await fetchMedia(
      this.platform, this.settings, this.context, this.run, async (files) => (await this.ask('join', files)).joined);
    this.mediaPath = path;
    const hit = media.reused !== null && media.reused.analysis !== null;
    return { result: media, warnings, findings: { cacheHit: hit, mediaBlob: media.blob, mediaEtag: media.etag } };
  }

  private async probe({ blob, reused }: FetchedMedia): Promise<StageEnd<MediaInfo>> {
    const info = reused?.info ?? await this.ask('probe', { path: await this.pathOf(blob), options: this.run.options });
    // Stored even if a later stage fails: the same media may succeed with other options.
    return { result: info, findings: { info, ...this.keeping() } };
  }

  private async analyse({ blob, reused }: FetchedMedia, info: MediaInfo): Promise<StageEnd<StoredAnalysis>> {
    const analysis = reused?.analysis ?? await this.measure(blob, info);
    // The text that another run began may be in another language.
    delete analysis.begun;
    return { result: analysis, warnings: analysis.warnings, findings: { analysis } };
  }

  private async measure(media: string, info: MediaInfo): Promise<StoredAnalysis> {
    const { blobs } = this.platform;
    const analysisFile = join(this.context.scratch, 'analysis');
    const backend = await this.ask('backend', {});
    const { tier, shots, warnings } = await this.ask('analyse', {
      path: await this.pathOf(media), info, tier: this.run.options.analysis ?? 'auto', analysisFile,
    });
    const { name } = await blobs.putFile(analysisFile);
    return { blob: name, version: analysisVersion, tier, backend, shots, warnings };
  }

  private async subtitles(media: FetchedMedia, info: MediaInfo, analysis: StoredAnalysis): Promise<StageEnd<FoundSubtitles>> {
    const { blob, transcript, warnings } = await findSubtitles({
      platform: this.platform, settings: this.settings, context: this.context, options: this.run.options, info,
      kept: analysis.transcript ?? null,
      begun: this.run.analysis?.begun ?? null,
      keep: (begun) => storeFindings(this.platform.database, this.run.runId, { analysis: { ...analysis, begun } }),
      path: () => this.pathOf(media.blob),
      ask: (name, ask) => this.ask(name, ask),
    });
    return { result: { subtitles: blob }, warnings, findings: { analysis: transcript === null ? analysis : { ...analysis, transcript } } };
  }

  private async select(media: FetchedMedia, analysis: StoredAnalysis, { subtitles }: FoundSubtitles): Promise<StageEnd<FoundSubtitles>> {
    const { options } = this.run;
    const analysisFile = await this.platform.blobs.localPath(analysis.blob);
    const { segments, warnings } = await this.ask('select', { path: await this.pathOf(media.blob), analysisFile, options, cues: await this.cues(subtitles) });
    return { result: { subtitles }, warnings, findings: { segments } };
  }

  private async cues(subtitles: string | null): Promise<readonly Cue[]> {
    if (subtitles === null) return [];
    return parseSubtitles(decodeSubtitles(await readFile(await this.platform.blobs.localPath(subtitles))).text);
  }

  private async render({ blob, reused }: FetchedMedia, analysis: StoredAnalysis, { subtitles }: FoundSubtitles): Promise<StageEnd<Rendered>> {
    const { blobs } = this.platform;
    const folder = await this.folder('outputs');
    const pieceFolder = await this.folder('pieces');
    const kept = reused === null ? new Map<string, string>() : await this.placePieces(reused.runId, pieceFolder);
    const { files, pieces, warnings } = await this.ask('render', {
      path: await this.pathOf(blob),
      sourceHash: blob.replace('sha256-', ''),
      analysisFile: await blobs.localPath(analysis.blob),
      options: this.run.options,
      cues: await this.cues(subtitles),
      folder,
      pieceFolder,
      title: mediaFileName(this.run.mediaUrl) || 'video',
      report: null,
    });
    const outputs: Output[] = [];
    for (const { path, ...file } of files) {
      const { name, bytes } = await blobs.putFile(path);
      outputs.push({ ...file, name: basename(path), blob: name, bytes });
    }
    return { result: { outputs, pieces: await this.keepPieces(pieces.map(({ path }) => path), kept) }, warnings };
  }

  /** Links the pieces of an earlier run into the folder in which the renderer searches for pieces. */
  private async placePieces(runId: string, folder: string): Promise<Map<string, string>> {
    const { blobs, database } = this.platform;
    const kept = await findKeptPieces(database, runId);
    for (const [name, blob] of kept) {
      if ((await blobs.stat(blob)) === null) kept.delete(name);
      else await symlink(await blobs.localPath(blob), join(folder, name));
    }
    return kept;
  }

  private async keepPieces(paths: readonly string[], kept: ReadonlyMap<string, string>): Promise<Rendered['pieces']> {
    if (this.settings.video_cache_hours === 0) return [];
    const pieces = new Map<string, string>();
    for (const path of paths) {
      const name = basename(path);
      pieces.set(name, kept.get(name) ?? (await this.platform.blobs.putFile(path)).name);
    }
    return [...pieces].map(([name, blob]) => ({ name, blob }));
  }

  /** Sends a call to the engine and reports its progress to the job. */
  private ask<Name extends EngineCallName>(name: Name, ask: EngineCalls[Name]['ask']): Promise<EngineCalls[Name]['answer']> {
    return this.engine.call(name, ask, (fraction) => {
      if (!this.context.signal.aborted) this.context.progress(fraction);
    });
  }

  private async pathOf(media: string): Promise<string> {
    const path = this.mediaPath ?? (await this.platform.blobs.localPath(media));
    this.mediaFile = basename(path);
    return path;
  }

  private async folder(name: string): Promise<string> {
    const path = join(this.context.scratch, name);
    await mkdir(path, { recursive: true });
    return path;
  }

  /** Warnings and durations of the finished stages, in order. */
  private summary(): Findings {
    return {
      warnings: [...this.notes.values()].flatMap(({ warnings }) => warnings),
      timings: Object.fromEntries([...this.notes].map(([name, { seconds }]) => [name, seconds])),
    };
  }

  private keeping(): Findings {
    const hours = this.settings.video_cache_hours;
    return hours === 0 ? {} : { keptUntil: new Date(this.platform.clock.now() + hours * hourMs) };
  }
}
