import type { MediaInfo } from '../media/mediaInfo.ts';
import type { FrameTrack } from '../pictures/frameTrack.ts';
import type { Shot, Transition } from '../shots/shot.ts';
import type { SoundTrack } from '../sound/soundTrack.ts';
import type { Timeline } from './timeline.ts';

/** What an analysis reads: `accurate` every frame, `balanced` no B-frames but each boundary exactly, `fast` key frames and packet sizes. */
export type Tier = 'fast' | 'balanced' | 'accurate';

/** Everything that selection and report need of a video; also what is cached for runs with other options. */
export interface Analysis {
  /** Changes whenever the same file may give other numbers; an older one is made anew. */
  version: number;
  tier: Tier;
  backend: { name: 'ffmpeg' | 'node-av'; version: string };
  info: MediaInfo;
  /** Presentation times of every frame, from the packets: segments start and end at these. */
  frameTimes: Float64Array;
  /** Packet sizes in bytes, in the order of `frameTimes`. */
  frameSizes: Uint32Array;
  frames: FrameTrack;
  /** Null for a silent file. */
  sound: SoundTrack | null;
  transitions: readonly Transition[];
  shots: readonly Shot[];
  /** What selection needs of all this and no option changes; made anew where it is missing. */
  timeline?: Timeline;
  /** Faults of the media that were got over, as sentences. */
  warnings: readonly Warning[];
}

/** Something that a reader of the run should know; `code` is stable. */
export interface Warning {
  code: string;
  detail: string;
}

/** Version of what `Analysis` holds and how it is computed. */
export const analysisVersion = 3;
