import type { Timers } from '@vouch/platform/process/doors';
import { analyse } from '../reading/analyse.ts';
import type { Analysis } from '../analysis/analysis.ts';
import { readAnalysis, writeAnalysis } from '../analysis/analysisFile.ts';
import { endOfPictures } from '../reading/settleEnd.ts';
import { mediaErrors } from '../mediaErrors.ts';
import type { MediaBackend } from '../media/mediaBackend.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import { openMediaBackend } from '../backend/openMediaBackend.ts';
import { selectSegments } from '../selection/selectSegments.ts';
import type { EngineCallName, EngineCalls, EngineSetup, RenderAsk } from './engineCalls.ts';

type Report = (fraction: number) => void;
type Answers = { [Name in EngineCallName]: (ask: EngineCalls[Name]['ask'], report: Report) => Promise<EngineCalls[Name]['answer']> };

/** The engine with one decoder, chosen at the first question. Its process is killed to stop it, so nothing here is cancelled. */
export class Engine {
  readonly #setup: EngineSetup;
  readonly #timers: Timers;
  readonly #signal = new AbortController().signal;
  #backend: Promise<MediaBackend> | null = null;
  #read: { path: string; analysis: Analysis } | null = null;

  constructor(setup: EngineSetup, timers: Timers) {
    this.#setup = setup;
    this.#timers = timers;
  }

  answer(call: EngineCallName, ask: EngineCalls[EngineCallName]['ask'], report: Report): Promise<unknown> {
    // One name belongs to one shape of question; TypeScript cannot follow that through a record of functions.
    return (this.#answers[call] as (ask: unknown, report: Report) => Promise<unknown>)(ask, report);
  }

  readonly #answers: Answers = {
    backend: async () => {
      const { name, version } = await this.#open();
      return { name, version };
    },
    probe: async ({ path }) => this.#probe(path),
    analyse: async ({ path, info, tier, analysisFile }, report) => {
      const backend = await this.#open();
      const analysis = await analyse({ backend, path, info, tier, signal: this.#signal, progress: report });
      await writeAnalysis(analysisFile, analysis);
      this.#read = { path: analysisFile, analysis };
      return { tier: analysis.tier, shots: analysis.shots.length, warnings: analysis.warnings };
    },
    select: async ({ analysisFile, options, cues }) => {
      const { segments, rejected, warnings } = selectSegments(await this.#analysis(analysisFile), options, cues);
      return { segments, rejected, warnings };
    },
    render: async (ask, report) => this.#render(ask, report),
  };

  #open(): Promise<MediaBackend> {
    this.#backend ??= openMediaBackend(this.#setup.ffmpegPath, { limits: this.#setup.limits, timers: this.#timers });
    return this.#backend;
  }

  async #probe(path: string): Promise<MediaInfo> {
    const backend = await this.#open();
    const info = await measureLength(backend, path, await backend.probe(path, this.#signal), this.#signal);
    if (info.duration > this.#setup.maximumSeconds) {
      throw mediaErrors.problem('media-too-long', `The video lasts ${Math.round(info.duration)} s; at most ${this.#setup.maximumSeconds} s are summarized. Split it, or raise VOUCH_VIDEO_MAX_SECONDS.`);
    }
    return info;
  }

  async #analysis(path: string): Promise<Analysis> {
    if (this.#read?.path !== path) this.#read = { path, analysis: await readAnalysis(path) };
    return this.#read.analysis;
  }

  async #render(ask: RenderAsk, report: Report): Promise<EngineCalls['render']['answer']> {
    const backend = await this.#open();
    const analysis = await this.#analysis(ask.analysisFile);
    // Loaded where it is asked for: 0.2 s of processor time, half of it mediabunny's.
    const { renderOutputs } = await import('../render/renderOutputs.ts');
    const { files, pieces, warnings } = await renderOutputs({
      backend,
      source: { path: ask.path, hash: ask.sourceHash },
      analysis,
      selection: selectSegments(analysis, ask.options, ask.cues),
      options: ask.options,
      folder: ask.folder,
      pieces: ask.pieceFolder,
      report: ask.report === null ? undefined : ask.report,
      progress: report,
      signal: this.#signal,
    });
    return { files, pieces, warnings };
  }
}

/** Programs that record live, browsers among them, write no length: then the packets tell it. */
async function measureLength(backend: MediaBackend, path: string, info: MediaInfo, signal: AbortSignal): Promise<MediaInfo> {
  return info.duration > 0 ? info : { ...info, duration: endOfPictures(await backend.packets(path, info, signal), info) };
}
