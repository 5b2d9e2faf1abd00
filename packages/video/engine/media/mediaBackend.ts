import type { Timers } from '@vouch/platform/process/systemInterfaces';
import type { MediaInfo, PacketIndex } from './mediaInfo.ts';

/**
 * Decodes and encodes media in child processes, so that a crash or an attack costs only one run. There are two
 * implementations: an installed ffmpeg, and the FFmpeg libraries of node-av from npm; both pass the same test suite. Only
 * local files are opened. Every method rejects with a Problem of `mediaErrors` if the media is at fault, and with the signal's
 * reason on abort.
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
  /** Number of decoder threads that one summarization may use. */
  readonly threads: number;
  /** Whether this build of FFmpeg has an encoder for a codec of previews. */
  canEncode(codec: PictureEncoding['codec']): Promise<boolean>;
  /**
   * Reads the facts of a file.
   * @throws Problem `not-media`, `no-video-stream`, `unsupported-codec`, `picture-too-large`, `damaged-media`
   */
  probe(path: string, signal: AbortSignal): Promise<MediaInfo>;
  /** Reads the video packets without decoding. */
  packets(path: string, info: MediaInfo, signal: AbortSignal): Promise<PacketIndex>;
  /** Decodes pictures in order of presentation. */
  pictures(request: PictureRequest): PictureStream;
  /**
   * Decodes sound as interleaved samples. Sample n of a channel has the time `from + n / sampleRate`; gaps are silent. With
   * `to`, each channel has exactly (to − from) × sampleRate samples and is silent after the end of the sound; without `to`,
   * the stream ends with the sound.
   */
  sound(request: SoundRequest): AsyncIterable<Int16Array>;
  /**
   * Reads a text subtitle stream of `MediaInfo.subtitles`.
   * @returns SubRip with times on the file's clock, at most 8 MB
   */
  subtitles(request: SubtitleRequest): Promise<string>;
  /**
   * Reads packets, pictures and sound of a whole file in one process, which costs less than three processes. Null if the
   * backend or the file does not allow this. Each stream has the same content as the method of its name, and all streams
   * must be read at the same time. A fault of one stream fails all streams; call the single methods to find the faulty one.
   */
  readAllStreams(request: AllStreamsRequest): AllStreams | null;
  /**
   * Encodes one piece of the picture track, without sound: frames at a constant rate that need no frames of other pieces for
   * decoding.
   */
  encodePiece(request: PieceRequest): Promise<void>;
  /** Encodes interleaved 16-bit samples into an audio-only file. */
  encodeSound(request: SoundEncodeRequest): Promise<void>;
  /** Encodes one picture from packed RGB. */
  encodeStill(request: StillRequest): Promise<void>;
  /** Encodes an animated picture from a finished preview. */
  encodeAnimation(request: AnimationRequest): Promise<void>;
  /** Encodes generated pictures and sound: the clip of the demo, of tests and of benchmarks. */
  encodeClip(request: ClipRequest): Promise<void>;
}

export interface PictureRequest {
  path: string;
  info: MediaInfo;
  /** Size of the delivered pictures after rotation, pixels. Pictures are scaled by area averaging. */
  width: number;
  height: number;
  /** `yuv420p`: planes Y, U, V one after another, limited range; `rgb24`: packed RGB. */
  format: 'yuv420p' | 'rgb24';
  /**
   * What the decoder skips: nothing, the loop filter of frames that no other frame refers to (invisible in small pictures), non-reference frames, B-frames,
   * or all except key frames. Decoders that cannot skip deliver more frames than requested.
   */
  skip: 'none' | 'loop-filter' | 'non-reference' | 'bidirectional' | 'non-key';
  /** Deliver only pictures with from ≤ time < to, seconds; default: the whole file. */
  from?: number;
  to?: number;
  /** Whether `from` is the time of a key frame, so that nothing before it needs decoding. */
  fromKey?: boolean;
  /** Number of decoder threads; default: all threads of the backend. */
  threads?: number;
  /**
   * Deliver only pictures of these stretches, instead of `from`, `to` and `fromKey`. Stretches are ascending and do not touch; times may
   * deviate by a microsecond.
   */
  stretches?: readonly Stretch[];
  signal: AbortSignal;
}

/** A time range, from ≤ time < to, seconds. */
export interface Stretch {
  from: number;
  to: number;
  /** As `PictureRequest.fromKey`. */
  fromKey?: boolean;
}

export interface Picture {
  /** Exact presentation time of the frame, seconds. */
  time: number;
  /** Pixels; the receiver owns the array. */
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

export interface SubtitleRequest {
  path: string;
  info: MediaInfo;
  /** Index of the stream in the file, and FFmpeg's name of its codec. */
  stream: number;
  codec: string;
  signal: AbortSignal;
}

export interface AllStreamsRequest extends Omit<PictureRequest, 'from' | 'stretches'> {
  /** Sample rate of the sound, Hz; one channel. */
  sampleRate: number;
}

export interface AllStreams {
  packets(): Promise<PacketIndex>;
  pictures: PictureStream;
  /** Null for a file without sound. */
  sound: AsyncIterable<Int16Array> | null;
}

export interface FrameRate {
  numerator: number;
  denominator: number;
}

/** Encoding of the picture track of a preview; the same for all pieces. */
export interface PictureEncoding {
  codec: 'h264' | 'vp9' | 'av1';
  width: number;
  height: number;
  rate: FrameRate;
  /**
   * Size of the scaled picture, pixels, even; default: `width` × `height`. A larger picture is cropped, a smaller picture is
   * padded with black on both sides.
   */
  scaled?: { width: number; height: number };
}

/**
 * Position of a crop over the frames of a piece: distance of the crop from the left (or top) edge of the scaled picture. The crop
 * moves evenly from one point to the next, and rests before the first and after the last point.
 */
export type CropPath = readonly CropPoint[];

interface CropPoint {
  /** Index of the frame in the piece, ascending. */
  frame: number;
  /** Pixels of the scaled picture. */
  offset: number;
}

/** A piece to encode. Frame n shows the last picture of the source at or before from + (n + ½) / rate. */
export interface PieceRequest {
  path: string;
  info: MediaInfo;
  encoding: PictureEncoding;
  /** Time of the first frame, seconds. */
  from: number;
  /** Presentation time of the picture that is shown at `from`, if it is earlier, seconds. Default: `from` is the time of a picture. */
  shown?: number;
  /** Number of frames of the piece. */
  frames: number;
  /** Where the pictures are cropped if `encoding.scaled` is larger than the piece; default: in the middle. */
  crop?: CropPath;
  /** A crossfade over all frames of the piece, from the pictures at `from` to the pictures at `into.from` (seconds). */
  into?: { from: number; shown?: number; crop?: CropPath };
  /** Path of an ASS file with subtitles to draw into the pictures; its times count from the first frame of the piece. */
  captions?: string;
  /** Path of the file to write, in the container that `pieceContainer` has for the codec. */
  output: string;
  signal: AbortSignal;
}

export interface SoundEncodeRequest {
  /** Path of a file with raw interleaved signed 16-bit little-endian samples. */
  samplesFile: string;
  sampleRate: number;
  channels: 1 | 2;
  codec: 'aac' | 'opus';
  /** Path of the .m4a (aac) or .webm (opus) file to write. */
  output: string;
  signal: AbortSignal;
}

export interface StillRequest {
  /** Packed RGB, three bytes per pixel. */
  rgb: Uint8Array;
  width: number;
  height: number;
  /** Path of the file to write; the ending selects the format: .jpg, .png or .webp. */
  output: string;
  signal: AbortSignal;
}

export interface AnimationRequest {
  /** Path of a preview made by this backend. */
  path: string;
  width: number;
  height: number;
  framesPerSecond: number;
  /** Path of the file to write; the ending selects the format: .gif or .webp. */
  output: string;
  signal: AbortSignal;
}

export interface ClipRequest {
  width: number;
  height: number;
  rate: FrameRate;
  /** Pictures in order, yuv420p. */
  pictures: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** File of raw interleaved signed 16-bit little-endian samples; null for a clip without sound. */
  sound: { samplesFile: string; sampleRate: number; channels: 1 | 2 } | null;
  /** Path of the .mp4 file (H.264, AAC) to write. */
  output: string;
  signal: AbortSignal;
}

/** Options for opening a backend. */
export interface MediaBackendOptions {
  /** Limits of each child process. */
  limits: MediaLimits;
  timers: Timers;
}

/** Limits of one child process of a backend. */
export interface MediaLimits {
  memoryBytes: number;
  wallMs: number;
  cpuSeconds: number;
  /** Largest file that the process may write, bytes. */
  diskBytes: number;
  /** Largest picture to decode, pixels. */
  pixels: number;
  /** Decoder and encoder threads. */
  threads: number;
  niceness: number;
}
