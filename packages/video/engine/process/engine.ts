import { writeFile } from 'node:fs/promises';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { analyse } from '../reading/analyse.ts';
import { reportsShots, type Analysis } from '../analysis/analysis.ts';
import { readAnalysis, writeAnalysis } from '../analysis/analysisFile.ts';
import { readSubtitles } from '../reading/readSubtitles.ts';
import { endOfPictures } from '../reading/settleEnd.ts';
import { mediaErrors } from '../mediaErrors.ts';
import type { MediaBackend } from '../media/mediaBackend.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import { openMediaBackend } from '../backend/openMediaBackend.ts';
import { listShapes } from '../render/framing/frameShape.ts';
import { refuseEncoders } from '../render/refuseEncoders.ts';
import { takeSpeech } from '../sound/takeSpeech.ts';
import { selectExactly, type ExactSelection } from './selectExactly.ts';
import type { EngineAnswers, EngineCalls, EngineSetup, ReportProgress } from './engineCalls.ts';

/**
 * Entry point of the video engine; each call of `EngineCalls` is a method. The decoder is selected at the first call. No
 * method takes a signal: to stop an engine, kill its process.
 *
 * @example
 * const engine = new Engine({ ffmpegPath: null, limits, maxSeconds: 3600 }, systemInterfaces.timers);
 * const info = await engine.probe({ path: 'film.mp4' });
 * await engine.analyse({ path: 'film.mp4', info, tier: 'auto', analysisFile: 'film.analysis' });
 * const { segments } = await engine.select({ path: 'film.mp4', analysisFile: 'film.analysis', options: { duration: 30 }, cues: [] });
 */
export class Engine implements EngineAnswers {
  private readonly setup: EngineSetup;
  private readonly timers: Timers;
  private readonly signal = new AbortController().signal;
  private opened: Promise<MediaBackend> | null = null;
  private selected: { key: string; selection: Promise<ExactSelection> } | null = null;
  private read: { path: string; analysis: Analysis } | null = null;

  constructor(setup: EngineSetup, timers: Timers) {
    this.setup = setup;
    this.timers = timers;
  }

  async backend(): Promise<EngineCalls['backend']['answer']> {
    const { name, version } = await this.open();
    return { name, version };
  }

  async probe({ path, options }: EngineCalls['probe']['ask']): Promise<MediaInfo> {
    const backend = await this.open();
    const info = await measureLength(backend, path, await backend.probe(path, this.signal), this.signal);
    if (info.duration > this.setup.maxSeconds) {
      throw mediaErrors.problem('media-too-long', `The video has a length of ${Math.round(info.duration)} s; the limit is ${this.setup.maxSeconds} s. Split the video, or raise VOUCH_VIDEO_MAX_SECONDS.`);
    }
    if (options !== undefined) await refuseEncoders(backend, new Set(options.outputs), listShapes(info.video, options).map(({ size }) => size));
    return info;
  }

  async analyse({ path, info, tier, analysisFile }: EngineCalls['analyse']['ask'], progress: ReportProgress = ignore): Promise<EngineCalls['analyse']['answer']> {
    const backend = await this.open();
    const analysis = await analyse({ backend, path, info, tier, signal: this.signal, progress });
    await writeAnalysis(analysisFile, analysis);
    this.read = { path: analysisFile, analysis };
    return { tier: analysis.tier, shots: reportsShots(analysis.tier) ? analysis.shots.length : null, warnings: analysis.warnings };
  }

  async join(files: EngineCalls['join']['ask']): Promise<EngineCalls['join']['answer']> {
    const { joinStreams } = await import('../render/joinStreams.ts');
    return { joined: await joinStreams(files) };
  }

  async subtitles({ path, info, language, file }: EngineCalls['subtitles']['ask']): Promise<EngineCalls['subtitles']['answer']> {
    const { text, warnings } = await readSubtitles({ backend: await this.open(), path, info, language, signal: this.signal });
    await writeFile(file, text);
    return { warnings };
  }

  async speech({ file, ...part }: EngineCalls['speech']['ask']): Promise<EngineCalls['speech']['answer']> {
    const { wav, to } = await takeSpeech({ backend: await this.open(), ...part, signal: this.signal });
    await writeFile(file, wav);
    return { to };
  }

  async select(ask: EngineCalls['select']['ask']): Promise<EngineCalls['select']['answer']> {
    const { segments, rejected, warnings } = (await this.selection(ask)).selection;
    return { segments, rejected, warnings };
  }

  async render(ask: EngineCalls['render']['ask'], progress: ReportProgress = ignore): Promise<EngineCalls['render']['answer']> {
    const backend = await this.open();
    const analysis = await this.analysis(ask.analysisFile);
    // Loaded only when needed, because loading takes 0.2 s of processor time, half of it for mediabunny.
    const { renderOutputs } = await import('../render/renderOutputs.ts');
    const { selection, frames } = await this.selection(ask);
    const { files, pieces, warnings } = await renderOutputs({
      backend,
      source: { path: ask.path, hash: ask.sourceHash },
      // Posters and key frames are chosen from every frame that is known.
      analysis: { ...analysis, frames },
      selection,
      options: ask.options,
      cues: ask.cues,
      folder: ask.folder,
      pieces: ask.pieceFolder,
      title: ask.title,
      report: ask.report,
      progress,
      signal: this.signal,
    });
    return { files, pieces, warnings };
  }

  private open(): Promise<MediaBackend> {
    this.opened ??= openMediaBackend(this.setup.ffmpegPath, { limits: this.setup.limits, timers: this.timers });
    return this.opened;
  }

  /** Keeps the last selection, because `render` follows `select` with the same request. */
  private async selection({ path, analysisFile, options, cues }: EngineCalls['select']['ask']): Promise<ExactSelection> {
    const key = JSON.stringify([path, analysisFile, options, cues]);
    if (this.selected?.key !== key) {
      const [backend, analysis] = [await this.open(), await this.analysis(analysisFile)];
      this.selected = { key, selection: selectExactly({ backend, path, signal: this.signal }, analysis, options, cues) };
    }
    return this.selected.selection;
  }

  private async analysis(path: string): Promise<Analysis> {
    if (this.read?.path !== path) this.read = { path, analysis: await readAnalysis(path) };
    return this.read.analysis;
  }
}

function ignore(): void {
  // The caller does not need the progress.
}

/** Determines the duration from the packets if the header has none. Live recorders such as browsers write no duration. */
async function measureLength(backend: MediaBackend, path: string, info: MediaInfo, signal: AbortSignal): Promise<MediaInfo> {
  return info.duration > 0 ? info : { ...info, duration: endOfPictures(await backend.packets(path, info, signal), info) };
}
