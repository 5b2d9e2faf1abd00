import type { MediaBackend, PictureRequest } from '../media/mediaBackend.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import { mediaErrors } from '../mediaErrors.ts';
import type { Measured } from '../pictures/pictureMeter.ts';
import { measureSound } from '../sound/measureSound.ts';
import { analysisSampleRate, type SoundTrack } from '../sound/soundTrack.ts';
import { buildTimeline } from '../timeline/buildTimeline.ts';
import { analysisVersion, type Analysis, type Tier, type Warning } from './analysis.ts';
import { chooseTier } from './chooseTier.ts';
import { findShots } from './findShots.ts';
import { readPictures } from './readPictures.ts';
import { settleEnd } from './settleEnd.ts';

export interface AnalyseRequest {
  backend: MediaBackend;
  path: string;
  info: MediaInfo;
  tier: Tier | 'auto';
  signal: AbortSignal;
  /** 0–1 over the whole analysis. */
  progress(fraction: number): void;
}

/** What the decoder leaves out in each tier. */
const skips: Readonly<Record<Tier, PictureRequest['skip']>> = { accurate: 'none', balanced: 'bidirectional', fast: 'non-key' };

/**
 * Measures the pictures and the sound of a video, each decoded once and all at the same time, and finds its shots.
 * @throws Problem `media-too-short`, `damaged-media`, `decoder-failed`, `media-limit`; the signal's reason on abort
 */
export async function analyse(request: AnalyseRequest): Promise<Analysis> {
  const { backend, path } = request;
  const tier = request.tier === 'auto' ? chooseTier(request.info) : request.tier;
  const faults: Warning[] = [];
  const stop = new AbortController();
  const reading = { ...request, signal: AbortSignal.any([request.signal, stop.signal]) };
  const readings = [
    backend.packets(path, request.info, reading.signal), measurePictures(reading, skips[tier], faults), hearSound(reading, faults),
  ] as const;
  await untilEnded(readings, stop);
  const [index, measured, sound] = await Promise.all(readings);
  const { info, packets, warnings } = settleEnd(request.info, index);
  if (packets.times.length < 2) {
    throw mediaErrors.problem('media-too-short', `The video has ${packets.times.length} ${packets.times.length === 1 ? 'picture' : 'pictures'}; a preview needs at least two.`);
  }
  const { transitions, shots } = await findShots({ ...request, info }, tier, packets, measured);
  const analysis: Analysis = {
    version: analysisVersion,
    tier,
    backend: { name: backend.name, version: backend.version },
    info,
    frameTimes: packets.times,
    frameSizes: packets.sizes,
    frames: measured.frames,
    sound,
    transitions,
    shots,
    warnings: [...warnings, ...faults],
  };
  return { ...analysis, timeline: buildTimeline(analysis) };
}

/** Resolves when all readings of a file have ended; the first that fails stops the others, which then fail with its error. */
async function untilEnded(readings: readonly Promise<unknown>[], stop: AbortController): Promise<void> {
  for (const reading of readings) reading.catch((error: unknown) => stop.abort(error));
  await Promise.allSettled(readings);
}

async function measurePictures(request: AnalyseRequest, skip: PictureRequest['skip'], warnings: Warning[]): Promise<Measured> {
  const { info, progress } = request;
  const { measured, damaged } = await readPictures(request, { skip }, (time) => progress(Math.min(1, time / info.duration)));
  if (measured.frames.times.length === 0) {
    throw mediaErrors.problem('damaged-media', 'No picture of the video can be decoded. Check that the file plays and is complete.');
  }
  if (damaged > 0) {
    warnings.push({
      code: 'damaged-pictures',
      detail: `The decoder reported ${damaged} damaged ${damaged === 1 ? 'place' : 'places'} in the pictures; what could be decoded is summarized.`,
    });
  }
  return measured;
}

/** Sound that cannot be decoded is no reason to give no preview. */
async function hearSound({ backend, path, info, signal }: AnalyseRequest, warnings: Warning[]): Promise<SoundTrack | null> {
  if (info.audio === null) return null;
  try {
    return await measureSound(backend.sound({ path, info, sampleRate: analysisSampleRate, channels: 1, signal }));
  } catch (error) {
    if (signal.aborted || !(error instanceof Error && 'code' in error && error.code === 'damaged-media')) throw error;
    warnings.push({ code: 'sound-unreadable', detail: `The sound (${info.audio.codec}) cannot be decoded; the preview is chosen by its pictures alone.` });
    return null;
  }
}
