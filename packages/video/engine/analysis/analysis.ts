import type { MediaInfo } from '../media/mediaInfo.ts';
import type { FrameTrack } from '../pictures/frameTrack.ts';
import type { Shot, Transition } from '../shots/shot.ts';
import type { SoundTrack } from '../sound/soundTrack.ts';
import type { Timeline } from './timeline.ts';

/**
 * Depth of an analysis. `accurate` decodes every frame; `balanced` skips B-frames but locates each shot boundary exactly;
 * `fast` decodes key frames and reads packet sizes.
 */
export type Tier = 'fast' | 'balanced' | 'accurate';

/** Everything that the selection and the report need to know about a video. Stored for later runs with other options. */
export interface Analysis {
  /** Version of the analysis. An analysis with another version is computed again. */
  version: number;
  tier: Tier;
  backend: { name: 'ffmpeg' | 'node-av'; version: string };
  info: MediaInfo;
  /** Presentation times of all frames, seconds, from the packets. Segments start and end at these times. */
  frameTimes: Float64Array;
  /** Packet sizes in bytes, in the order of `frameTimes`. */
  frameSizes: Uint32Array;
  frames: FrameTrack;
  /** `frames`, and all frames of the parts that the selection decoded around the boundaries of segments; missing in a stored analysis. */
  denseFrames?: FrameTrack;
  /** The shots and repeats before `denseFrames` were known; missing in a stored analysis. */
  coarse?: { shots: readonly Shot[]; repeats: Float64Array };
  /** Parts of the video that show and sound the same as parts `lag` seconds earlier, found in selected segments; seconds. Missing in a stored analysis. */
  shared?: readonly (Shot & { lag: number })[];
  /** Null for a video without sound. */
  sound: SoundTrack | null;
  transitions: readonly Transition[];
  shots: readonly Shot[];
  /** Data for the selection that does not depend on the options; computed if missing. */
  timeline?: Timeline;
  /** Faults of the media in spite of which the analysis succeeded. */
  warnings: readonly Warning[];
}

/** A message for the caller; `code` is stable, `detail` is a sentence. */
export interface Warning {
  code: string;
  detail: string;
}

/** Current version. Increase it when the content or the computation of `Analysis` changes. */
export const analysisVersion = 30;

/**
 * Whether the shots of a tier are reported. The shots of `fast` come from key frames and packet sizes: F1 of their cuts is
 * about 0.65, so the selection uses them as hints, and nobody else gets them.
 */
export function reportsShots(tier: Tier): boolean {
  return tier !== 'fast';
}
