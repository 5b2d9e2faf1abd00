import type { MediaBackend, PictureRequest } from '../media/mediaBackend.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import { mediaErrors } from '../mediaErrors.ts';
import { analysisHeight, analysisWidth } from '../pictures/frameTrack.ts';
import { PictureMeter, type Measured } from '../pictures/pictureMeter.ts';
import { detectShots } from '../shots/detectShots.ts';
import { measureSound } from '../sound/measureSound.ts';
import { analysisSampleRate, type SoundTrack } from '../sound/soundTrack.ts';
import { analysisVersion, type Analysis, type Tier, type Warning } from './analysis.ts';
import { chooseTier } from './chooseTier.ts';

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
 * Measures the pictures and the sound of a video, each decoded once and at the same time, and finds its shots.
 * @throws Problem `media-too-short`, `damaged-media`, `decoder-failed`, `media-limit`; the signal's reason on abort
 */
export async function analyse(request: AnalyseRequest): Promise<Analysis> {
  const { backend, path, info, signal } = request;
  const tier = request.tier === 'auto' ? chooseTier(info) : request.tier;
  const packets = await backend.packets(path, info, signal);
  if (packets.times.length < 2) {
    throw mediaErrors.problem('media-too-short', `The video has ${packets.times.length} ${packets.times.length === 1 ? 'picture' : 'pictures'}; a preview needs at least two.`);
  }
  const warnings: Warning[] = [];
  const [measured, sound] = await Promise.all([measurePictures(request, skips[tier], warnings), hearSound(request, warnings)]);
  const { transitions, shots } = detectShots(measured, info.duration);
  return {
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
    warnings,
  };
}

async function measurePictures(request: AnalyseRequest, skip: PictureRequest['skip'], warnings: Warning[]): Promise<Measured> {
  const { backend, path, info, signal, progress } = request;
  const meter = new PictureMeter();
  const stream = backend.pictures({ path, info, width: analysisWidth, height: analysisHeight, format: 'yuv420p', skip, signal });
  for await (const picture of stream) {
    meter.add(picture);
    progress(Math.min(1, picture.time / info.duration));
  }
  if (meter.count === 0) {
    throw mediaErrors.problem('damaged-media', 'No picture of the video can be decoded. Check that the file plays and is complete.');
  }
  const damaged = stream.damaged();
  if (damaged > 0) {
    warnings.push({
      code: 'damaged-pictures',
      detail: `The decoder reported ${damaged} damaged ${damaged === 1 ? 'place' : 'places'} in the pictures; what could be decoded is summarized.`,
    });
  }
  return meter.finish();
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
