import type { JobContext } from '@vouch/platform/jobs/job';
import type { Timers } from '@vouch/platform/process/doors';
import { EngineProcess } from '../engine/process/engineProcess.ts';
import type { EngineCallName, EngineCalls } from '../engine/process/engineCalls.ts';
import type { VideoSettings } from '../definitions/settings.ts';

/** Most pixels of one picture; a small file may claim any size and cost any memory. */
const maximumPixels = 36_000_000;

/** The engine's process, started at the first question: a run whose stages are finished or cached needs none. */
export class LazyEngine {
  readonly #settings: VideoSettings;
  readonly #context: Pick<JobContext, 'signal' | 'progress' | 'watch'>;
  readonly #timers: Timers;
  #process: EngineProcess | null = null;

  /** @param context of the job, which hears how far the current question is */
  constructor(settings: VideoSettings, context: Pick<JobContext, 'signal' | 'progress' | 'watch'>, timers: Timers) {
    this.#settings = settings;
    this.#context = context;
    this.#timers = timers;
  }

  async call<Name extends EngineCallName>(name: Name, ask: EngineCalls[Name]['ask']): Promise<EngineCalls[Name]['answer']> {
    this.#process ??= this.#start();
    return this.#process.call(name, ask, (fraction) => {
      if (!this.#context.signal.aborted) this.#context.progress(fraction);
    });
  }

  /** Resolves when the process and everything it started is gone. */
  async stopped(): Promise<void> {
    await this.#process?.stopped();
  }

  #start(): EngineProcess {
    const engine = openEngine(this.#settings, this.#context.signal, this.#timers);
    if (engine.processId !== null) this.#context.watch(engine.processId);
    return engine;
  }
}

/**
 * Starts the engine with the limits of the settings.
 * @param niceness 0 to 19; larger gives way to others; that of the settings unless told
 */
export function openEngine(settings: VideoSettings, signal: AbortSignal, timers: Timers, niceness = settings.video_niceness): EngineProcess {
  const wallMs = settings.video_run_seconds * 1000;
  return new EngineProcess({
    setup: {
      ffmpegPath: settings.ffmpeg_path ?? null,
      limits: {
        memoryBytes: settings.video_memory_mb * 2 ** 20,
        wallMs,
        // Every thread busy from the first to the last second.
        cpuSeconds: settings.video_run_seconds * settings.video_threads,
        diskBytes: settings.video_max_bytes,
        pixels: maximumPixels,
        threads: settings.video_threads,
        niceness,
      },
      maximumSeconds: settings.video_max_seconds,
    },
    signal,
    timers,
    wallMs,
  });
}
