import type { PictureRequest } from '../media/mediaBackend.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import type { MediaSource } from '../media/mediaSource.ts';
import { mediaErrors } from '../mediaErrors.ts';
import { buildTimeline } from '../timeline/buildTimeline.ts';
import { analysisVersion, type Analysis, type Tier } from '../analysis/analysis.ts';
import { chooseTier } from './chooseTier.ts';
import { findShots } from './findShots.ts';
import { measureVideo } from './measureVideo.ts';
import { settleEnd } from './settleEnd.ts';

interface AnalyseRequest extends MediaSource {
  tier: Tier | 'auto';
  /** Receives the progress of the whole analysis, 0–1. */
  progress(fraction: number): void;
}

/** What the decoder skips in each tier. */
const skips: Readonly<Record<Tier, PictureRequest['skip']>> = { accurate: 'loop-filter', balanced: 'bidirectional', fast: 'non-key' };

/**
 * Measures the pictures and the sound of a video and finds its shots. Pictures and sound are decoded once, at the same time.
 * @throws Problem `media-too-short`, `damaged-media`, `decoder-failed`, `media-limit`; the signal's reason on abort
 */
export async function analyse(request: AnalyseRequest): Promise<Analysis> {
  const { backend } = request;
  const tier = chooseTier(request.info, request.tier);
  const { index, measured, sound, faults } = await measureVideo(request, skips[tier]);
  const { info: settled, packets, warnings } = settleEnd(request.info, index);
  if (packets.times.length < 2) {
    throw mediaErrors.problem('media-too-short', `The video has ${packets.times.length} ${packets.times.length === 1 ? 'frame' : 'frames'}; a preview needs at least two.`);
  }
  const info: MediaInfo = faults.some(({ code }) => code === 'damaged-pictures') ? { ...settled, damaged: true } : settled;
  const { transitions, shots, pages = measured.frames.pages } = await findShots({ ...request, info }, tier, packets, measured);
  const analysis: Analysis = {
    version: analysisVersion,
    tier,
    backend: { name: backend.name, version: backend.version },
    info,
    frameTimes: packets.times,
    frameSizes: packets.sizes,
    frames: { ...measured.frames, pages },
    sound,
    transitions,
    shots,
    warnings: [...warnings, ...faults],
  };
  return { ...analysis, timeline: buildTimeline(analysis) };
}
