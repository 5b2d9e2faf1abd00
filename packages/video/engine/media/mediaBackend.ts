import type { Timers } from '@vouch/platform/process/doors';
import type { MediaInfo, PacketIndex } from './mediaInfo.ts';

/**
 * Decodes and encodes media in child processes, so that a crash or an attack costs one run. Two implementations: an
 * installed ffmpeg, and the FFmpeg libraries of node-av from npm; both pass one shared test suite. Only local files are
 * opened. Every method rejects with a Problem of `mediaErrors` if the media is at fault, and with the signal's reason on abort.
 *
 * @example
 * for await (const { time, data } of backend.pictures({ path, info, width: 96, height: 54, format: 'yuv420p', skip: 'none', signal })) {
 *   measure(time, data);
 * }
 */
export interface MediaBackend {
  readonly name: 'ffmpeg' | 'node-av';
  /** Version of FFmpeg itself, e.g. `5.1.9`. */
  readonly version: string;
  /** Decoder threads that one summarization may use. */
  readonly threads: number;
  /** Facts of the file. @throws Problem `not-media`, `no-video-stream`, `unsupported-codec`, `picture-too-large`, `damaged-media` */
  probe(path: string, signal: AbortSignal): Promise<MediaInfo>;
  /** Reads the video packets without decoding. */
  packets(path: string, info: MediaInfo, signal: AbortSignal): Promise<PacketIndex>;
  /** Decodes pictures in order of presentation. */
  pictures(request: PictureRequest): PictureStream;
  /**
   * Decodes sound; sample n lies at `from + n / sampleRate`, gaps are silence. Interleaved channels. With `to` there are
   * exactly (to − from) × sampleRate sample times, silent after the end of the sound; otherwise it ends with the sound.
   */
  sound(request: SoundRequest): AsyncIterable<Int16Array>;
  /**
   * Reads packets, pictures and sound of a whole file in one process, which costs less than three processes. Null if the
   * backend or the file does not allow this. Each stream has the same content as the method of its name, and all streams
   * must be read at the same time. A fault of one stream fails all streams; call the single methods to find the faulty one.
   */
  readAllStreams(request: AllStreamsRequest): AllStreams | null;
  /** Encodes one piece of the picture track, without sound: a closed run of frames at a constant rate. */
  encodePiece(request: PieceRequest): Promise<void>;
  /** Encodes interleaved 16-bit samples into an audio-only file. */
  encodeSound(request: SoundEncodeRequest): Promise<void>;
  /** Encodes one picture from packed RGB. */
  encodeStill(request: StillRequest): Promise<void>;
  /** Turns a finished preview into an animated picture. */
  encodeAnimation(request: AnimationRequest): Promise<void>;
  /** Encodes pictures and sound that we generate: the clip of the demo, of tests and of benchmarks. */
  encodeClip(request: ClipRequest): Promise<void>;
}

export interface PictureRequest {
  path: string;
  info: MediaInfo;
  /** Size of what is delivered, pixels; after rotation. Area-averaged scaling. */
  width: number;
  height: number;
  /** `yuv420p`: planes Y, U, V one after the other, limited range; `rgb24`: packed. */
  format: 'yuv420p' | 'rgb24';
  /**
   * What the decoder leaves out: nothing; frames nobody refers to; B-frames; all but key frames. Decoders that cannot
   * skip deliver more than asked.
   */
  skip: 'none' | 'non-reference' | 'bidirectional' | 'non-key';
  /** Only pictures with from ≤ time < to, seconds; without it the whole file. */
  from?: number;
  to?: number;
  /** `from` is the time of a key frame, so that nothing before it needs decoding. */
  fromKey?: boolean;
  /** Decoder threads; all that the backend has unless told. */
  threads?: number;
  /** Only pictures of these stretches, ascending and apart, instead of `from` and `to`. Their times may be off by a microsecond. */
  stretches?: readonly Stretch[];
  signal: AbortSignal;
}

/** from ≤ time < to, seconds. */
export interface Stretch {
  from: number;
  to: number;
}

export interface Picture {
  /** Presentation time of this very frame, seconds. */
  time: number;
  /** The receiver owns it. */
  data: Uint8Array;
}

export interface PictureStream extends AsyncIterable<Picture> {
  /** Number of frames and packets that the decoder has reported as damaged. */
  damaged(): number;
}

export interface SoundRequest {
  path: string;
  info: MediaInfo;
  sampleRate: number;
  channels: 1 | 2;
  from?: number;
  to?: number;
  signal: AbortSignal;
}

export interface AllStreamsRequest extends Omit<PictureRequest, 'from' | 'stretches'> {
  /** Samples per second of the sound, which has one channel. */
  sampleRate: number;
}

export interface AllStreams {
  packets(): Promise<PacketIndex>;
  pictures: PictureStream;
  /** Null for a silent file. */
  sound: AsyncIterable<Int16Array> | null;
}

export interface FrameRate {
  numerator: number;
  denominator: number;
}

/** How the picture track of a preview is encoded; the same for all its pieces. */
export interface PictureEncoding {
  codec: 'h264' | 'vp9';
  width: number;
  height: number;
  rate: FrameRate;
}

/** Frame n of a piece shows the last picture of the source that lies at or before from + (n + ½) / rate. */
export interface PieceRequest {
  path: string;
  info: MediaInfo;
  encoding: PictureEncoding;
  /** Presentation time of the first frame, seconds. */
  from: number;
  /** Number of frames that the piece has. */
  frames: number;
  /** A crossfade: over all frames of the piece from the first place to this one. */
  into?: { from: number };
  /** An .mp4 (h264) or .webm (vp9) file to be written. */
  output: string;
  signal: AbortSignal;
}

export interface SoundEncodeRequest {
  /** Raw interleaved signed 16-bit little-endian samples. */
  samplesFile: string;
  sampleRate: number;
  channels: 1 | 2;
  codec: 'aac' | 'opus';
  /** An .m4a (aac) or .webm (opus) file to be written. */
  output: string;
  signal: AbortSignal;
}

export interface StillRequest {
  /** Packed, three bytes a pixel. */
  rgb: Uint8Array;
  width: number;
  height: number;
  /** The format by the name's end: .jpg, .png or .webp. */
  output: string;
  signal: AbortSignal;
}

export interface AnimationRequest {
  /** A finished preview of ours. */
  path: string;
  width: number;
  height: number;
  framesPerSecond: number;
  /** The format by the name's end: .gif or .webp. */
  output: string;
  signal: AbortSignal;
}

export interface ClipRequest {
  width: number;
  height: number;
  rate: FrameRate;
  /** yuv420p, one after the other. */
  pictures: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Raw interleaved signed 16-bit little-endian samples, or null for a silent clip. */
  sound: { samplesFile: string; sampleRate: number; channels: 1 | 2 } | null;
  /** An .mp4 file (H.264, AAC) to be written. */
  output: string;
  signal: AbortSignal;
}

/** What every backend is opened with. */
export interface MediaBackendOptions {
  /** Of each child process. */
  limits: MediaLimits;
  timers: Timers;
}

/** What one child process of a backend may use. */
export interface MediaLimits {
  memoryBytes: number;
  wallMs: number;
  cpuSeconds: number;
  /** Largest file it may write. */
  diskBytes: number;
  /** Largest picture that is decoded, pixels. */
  pixels: number;
  /** Decoder and encoder threads. */
  threads: number;
  niceness: number;
}
