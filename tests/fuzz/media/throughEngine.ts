import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@vouch/platform/errors/problem';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { MediaLimits } from '../../../packages/video/engine/media/mediaBackend.ts';
import { mediaErrors } from '../../../packages/video/engine/mediaErrors.ts';
import { EngineProcess } from '../../../packages/video/engine/process/engineProcess.ts';
import type { FileEnd, MutatedFile } from './mutatedFiles.ts';

/**
 * Enough for a clip of one second. A file that uses up `cpuSeconds` has found a way to waste the processor; `wallMs` only ends a decoder
 * that hangs, because a busy machine takes minutes for the same work.
 */
export const fuzzLimits: MediaLimits = {
  memoryBytes: 1e9, wallMs: 240_000, cpuSeconds: 20, diskBytes: 5e7, pixels: 4_000_000, threads: 2, niceness: 0,
};

export function startFuzzEngine(ffmpegPath: string | null, signal = new AbortController().signal): EngineProcess {
  return new EngineProcess({
    setup: { ffmpegPath, limits: fuzzLimits, maxSeconds: 3600 }, signal, timers: systemInterfaces.timers, wallMs: 36_000_000,
  });
}

/** Summarizes files one after the other in one engine process, which must outlive them all; every tenth preview is made. */
export async function summarizeAll(files: readonly MutatedFile[], ffmpegPath: string | null, scratch: string): Promise<FileEnd[]> {
  const engine = startFuzzEngine(ffmpegPath);
  const ends: FileEnd[] = [];
  try {
    await engine.call('backend', {});
    for (const file of files) ends.push({ seed: file.seed, ...await summarize(engine, file, scratch) });
    await engine.call('backend', {});
    return ends;
  } finally {
    await engine.stopped();
  }
}

async function summarize(engine: EngineProcess, { seed, path, what }: MutatedFile, scratch: string): Promise<Omit<FileEnd, 'seed'>> {
  const folder = join(scratch, `of-${seed}`);
  const analysisFile = join(scratch, `of-${seed}.analysis`);
  const options = { duration: 1, outputs: ['mp4' as const] };
  try {
    await mkdir(folder);
    const info = await engine.call('probe', { path });
    await engine.call('subtitles', { path, info, language: null, file: join(folder, 'subtitles.srt') });
    await engine.call('analyse', { path, info, tier: seed % 20 < 10 ? 'accurate' : 'fast', analysisFile });
    await engine.call('select', { path, analysisFile, options, cues: [] });
    if (seed % 10 !== 0) return { end: 'summarized', detail: what };
    const { files } = await engine.call('render', { path, sourceHash: String(seed), analysisFile, options, cues: [], folder, pieceFolder: folder, title: 'film.mp4', report: null });
    return files.length === 1 ? { end: 'summarized', detail: what } : { end: 'fault', detail: `${what}: ${files.length} files were made` };
  } catch (error) {
    if (error instanceof Problem && error.code in mediaErrors.entries && error.detail.length > 20) return { end: 'refused', detail: error.code };
    return { end: 'fault', detail: `${what}: ${error instanceof Error ? error.stack : String(error)}` };
  }
}
