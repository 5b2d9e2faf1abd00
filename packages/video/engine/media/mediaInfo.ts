import type { Colour } from './colour.ts';

/** Facts of one media file. Times are seconds on the file's own clock: 0 is where a player starts, as FFmpeg counts it. */
export interface MediaInfo {
  /** Container by FFmpeg's short name: `mp4`, `mov`, `matroska`, `webm`, `mpegts`, `avi`, `flv`, `ogg`, `asf`, `mpeg`. */
  container: string;
  bytes: number;
  /** What counts as 0 on the clock of the container itself: its earliest timestamp, seconds; transport streams begin anywhere. */
  start: number;
  /** Length of the video stream, seconds. */
  duration: number;
  video: VideoInfo;
  /** Null for a silent file. */
  audio: AudioInfo | null;
  /** Text subtitles inside the file, in their order. */
  subtitles: readonly { stream: number; codec: string; language: string | null }[];
}

export interface VideoInfo {
  /** Index of the stream in the file. */
  stream: number;
  /** FFmpeg's name: `h264`, `hevc`, `vp8`, `vp9`, `av1`, `msmpeg4v3`, … */
  codec: string;
  /** As shown: after rotation and with square pixels. */
  width: number;
  height: number;
  /** Clockwise turn that the player applies: 0, 90, 180 or 270. */
  rotation: number;
  /** Mean rate over the file as a fraction; frames of a variable rate lie elsewhere. */
  frameRate: { numerator: number; denominator: number };
  /** As far as the header shows it; the packets tell for certain. */
  variableFrameRate: boolean;
  pixelFormat: string;
  bitDepth: number;
  colour: Colour;
  /** PQ or HLG: needs tone mapping for ordinary screens. */
  highDynamicRange: boolean;
}

interface AudioInfo {
  stream: number;
  codec: string;
  sampleRate: number;
  channels: number;
}

/** Every packet of the video stream, ascending by presentation time. */
export interface PacketIndex {
  /** Presentation times of the frames, seconds. */
  times: Float64Array;
  /** Bytes of each packet. */
  sizes: Uint32Array;
  /** 1 where the decoder can start. */
  keys: Uint8Array;
}
