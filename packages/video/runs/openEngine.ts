import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { EngineProcess, type EngineProcessOptions } from '../engine/process/engineProcess.ts';
import type { VideoSettings } from '../config/videoSettings.ts';

/** Largest picture to decode, pixels. A small file can claim any picture size, and the memory grows with the size. */
const maxPixels = 36_000_000;

export interface OpenEngineRequest extends Pick<EngineProcessOptions, 'signal' | 'started'> {
  settings: VideoSettings;
  timers: Timers;
  /** 0 to 19; a larger value leaves more processor time to other programs. Default: the setting `video_niceness`. */
  niceness?: number;
}

/**
 * Makes the engine of one run, with the limits of the settings. The engine's process starts at the first call, so a run whose
 * stages are all finished or cached starts no process.
 *
 * @example
 * const engine = openEngine({ settings, signal, timers });
 * try {
 *   const info = await engine.call('probe', { path: '/tmp/film.mp4' });
 * } finally {
 *   await engine.stopped();
 * }
 */
export function openEngine({ settings, timers, niceness = settings.video_niceness, ...hooks }: OpenEngineRequest): EngineProcess {
  const wallMs = settings.video_run_seconds * 1000;
  return new EngineProcess({
    ...hooks,
    setup: {
      ffmpegPath: settings.ffmpeg_path ?? null,
      limits: {
        memoryBytes: settings.video_memory_mb * 2 ** 20,
        wallMs,
        // Enough for every thread to be busy during the whole run.
        cpuSeconds: settings.video_run_seconds * settings.video_threads,
        diskBytes: settings.video_max_bytes,
        pixels: maxPixels,
        threads: settings.video_threads,
        niceness,
      },
      maxSeconds: settings.video_max_seconds,
    },
    timers,
    wallMs,
  });
}
