import type { StreamFacts } from '../../describeMedia.ts';
import type { AnimationRequest, ClipRequest, CropPath, PictureEncoding, PictureRequest, SoundEncodeRequest } from '../../mediaBackend.ts';
import type { MediaInfo } from '../../mediaInfo.ts';

/** A media file as the child opens it. */
export interface Source {
  path: string;
  /** Result of `sniffContainer`. */
  container: string;
  /** Largest picture, pixels. */
  pixels: number;
  threads: number;
  /** Time that counts as 0, seconds; null: the start time that FFmpeg reports. */
  start: number | null;
}

/** Source whose streams were chosen by a probe. */
export interface KnownSource extends Source {
  info: MediaInfo;
}

/**
 * A task of the child process. The answer goes to standard output in records (records.ts); the last record ends the task.
 * A failure is a sentence on standard error and exit code 1.
 */
export type Task =
  /** Answer: a record with the version of the libraries. */
  | { kind: 'version' }
  /** Answer: a record with a `ProbeAnswer` as JSON. */
  | { kind: 'probe'; source: Source }
  /** Answer: one header without data per packet; its number is twice the packet's size, plus 1 for a key frame. */
  | { kind: 'packets'; source: KnownSource }
  /** Answer: one record per packet of a subtitle stream; its number is the packet's length in milliseconds. */
  | { kind: 'subtitles'; source: KnownSource; stream: number }
  /**
   * Answer: one record per picture, whose number is the count of damaged packets and frames; the last record has no pixels.
   */
  | ({ kind: 'pictures'; source: KnownSource } & PictureSelection)
  /** Answer: runs of interleaved signed 16-bit samples, each with the time of its first sample. */
  | { kind: 'sound'; source: KnownSource; sampleRate: number; channels: 1 | 2; from: number; to: number }
  | { kind: 'piece'; source: KnownSource; encoding: PictureEncoding; from: number; shown?: number | undefined; crop: CropPath | null; frames: number; into: { from: number; shown?: number; crop?: CropPath } | null; captions: string | null; output: string }
  | { kind: 'encode-sound'; request: Omit<SoundEncodeRequest, 'signal'> }
  /** Input: packed RGB on standard input (chunks.ts). */
  | { kind: 'still'; width: number; height: number; output: string }
  | { kind: 'animation'; source: Source; request: Omit<AnimationRequest, 'signal' | 'path'> }
  /** Input: pictures on standard input (chunks.ts), yuv420p, in order. */
  | { kind: 'clip'; threads: number; request: Omit<ClipRequest, 'signal' | 'pictures'> };

export type PictureSelection = Pick<PictureRequest, 'width' | 'height' | 'format' | 'skip'> & { from: number | null; to: number | null; fromKey: boolean };

export interface ProbeAnswer {
  /** Time that counts as 0, seconds. */
  start: number;
  /** Duration of the whole container, seconds; null if unknown. */
  duration: number | null;
  streams: ProbedStream[];
}

export type ProbedStream = StreamFacts & { decodable: boolean };
