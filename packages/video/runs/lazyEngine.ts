import type { Timers } from '@vouch/platform/process/doors';
import { EngineProcess } from '../engine/process/engineProcess.ts';
import type { EngineCallName, EngineCalls } from '../engine/process/engineCalls.ts';
import type { VideoSettings } from '../settings.ts';

/** Below the server, so that queries stay fast while videos are worked on. */
const belowServer = 10;
/** Most pixels of one picture; a small file may claim any size and cost any memory. */
const maximumPixels = 36_000_000;

/** The engine's process, started at the first question: a run whose stages are finished or cached needs none. */
export class LazyEngine {
  readonly #settings: VideoSettings;
  readonly #signal: AbortSignal;
  readonly #timers: Timers;
  readonly #progress: (fraction: number) => void;
  #process: EngineProcess | null = null;

  /** @param progress hears how far the current question is, 0–1 */
  constructor(settings: VideoSettings, signal: AbortSignal, timers: Timers, progress: (fraction: number) => void) {
    this.#settings = settings;
    this.#signal = signal;
    this.#timers = timers;
    this.#progress = progress;
  }

  async call<Name extends EngineCallName>(name: Name, ask: EngineCalls[Name]['ask']): Promise<EngineCalls[Name]['answer']> {
    this.#process ??= startEngine(this.#settings, this.#signal, this.#timers);
    return this.#process.call(name, ask, (fraction) => {
      if (!this.#signal.aborted) this.#progress(fraction);
    });
  }

  /** Resolves when the process and everything it started is gone. */
  async stopped(): Promise<void> {
    await this.#process?.stopped();
  }
}

/**
 * Starts the engine with the limits of the settings.
 * @param niceness 0 to 19; larger gives way to others
 */
export function startEngine(settings: VideoSettings, signal: AbortSignal, timers: Timers, niceness = belowServer): EngineProcess {
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
