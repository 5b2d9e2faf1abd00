import type { Colour } from './colour.ts';

/** Facts of one media file. Times are in seconds on the file's clock: 0 is where a player starts, as FFmpeg counts. */
export interface MediaInfo {
  /** Short name of the container in FFmpeg: `mp4`, `mov`, `matroska`, `webm`, `mpegts`, `avi`, `flv`, `ogg`, `asf`, `mpeg`, `gif`. */
  container: string;
  bytes: number;
  /**
   * Earliest timestamp of the container, seconds, which is 0 on the file's clock. Transport streams start at any timestamp.
   */
  start: number;
  /** Length of the video stream, seconds. */
  duration: number;
  video: VideoInfo;
  /** Null for a file without sound. */
  audio: AudioInfo | null;
  /** Text subtitle streams inside the file, in file order. */
  subtitles: readonly { stream: number; codec: string; language: string | null }[];
  /**
   * Set once the decoder has reported damaged places in the pictures. Several threads of FFmpeg conceal damage in another way each time, so one thread
   * decodes such a video.
   */
  damaged?: true;
}

export interface VideoInfo {
  /** Index of the stream in the file. */
  stream: number;
  /** Codec name in FFmpeg: `h264`, `hevc`, `vp8`, `vp9`, `av1`, `msmpeg4v3`, … */
  codec: string;
  /** Size as shown, pixels: after rotation and with square pixels. */
  width: number;
  height: number;
  /** Clockwise rotation that the player applies, degrees: 0, 90, 180 or 270. */
  rotation: number;
  /** Mean frame rate over the file as a fraction; with a variable rate, frames are not evenly spaced. */
  frameRate: { numerator: number; denominator: number };
  /** Whether the header shows a variable frame rate; only the packets are certain. */
  variableFrameRate: boolean;
  /** Timecode of the first frame, such as `01:00:10:12`, or `01:00:10;12` for drop-frame timecode; absent if the file has none. */
  timecode?: string;
  /** Set if the header shows that frames are stored in the order in which they are shown. */
  inOrder?: true;
  pixelFormat: string;
  bitDepth: number;
  colour: Colour;
  /** Whether the transfer function is PQ or HLG, which needs tone mapping for ordinary screens. */
  highDynamicRange: boolean;
}

interface AudioInfo {
  stream: number;
  codec: string;
  sampleRate: number;
  channels: number;
}

/** All packets of the video stream, ascending by presentation time. */
export interface PacketIndex {
  /** Presentation times of the frames, seconds. */
  times: Float64Array;
  /** Size of each packet, bytes. */
  sizes: Uint32Array;
  /** 1 for packets at which the decoder can start. */
  keys: Uint8Array;
}
