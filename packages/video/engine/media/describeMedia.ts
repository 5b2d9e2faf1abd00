import { basename } from 'node:path';
import { mediaErrors } from '../mediaErrors.ts';
import { isHighDynamicRange, type Colour } from './colour.ts';
import type { MediaInfo, VideoInfo } from './mediaInfo.ts';

/** Facts of one stream as reported by FFmpeg; the same for both backends. */
export interface StreamFacts {
  index: number;
  kind: 'video' | 'audio' | 'subtitle' | 'other';
  /** Codec name in FFmpeg; null if FFmpeg does not know the codec. */
  codec: string | null;
  /** Whether the stream is a cover or thumbnail: one picture, not a video. */
  attachedPicture: boolean;
  /** Whether the file marks the stream as the one that players choose. */
  isDefault: boolean;
  /** Duration in seconds; null if the container does not state the duration of the stream. */
  duration: number | null;
  language: string | null;
  /** Coded size, pixels; 0 if unknown. */
  width: number;
  height: number;
  /** Width of a pixel divided by its height; 1 if unknown. */
  sampleAspect: number;
  /** Clockwise rotation, degrees; a multiple of 90. */
  rotation: number;
  pixelFormat: string;
  colour: Colour;
  averageRate: { numerator: number; denominator: number };
  /** The lowest rate at which all timestamps can be represented. */
  baseRate: { numerator: number; denominator: number };
  sampleRate: number;
  channels: number;
  /**
   * Number of frames by which the decoder runs ahead of the picture that is shown; 0 if the stream has no B-frames.
   */
  delay: number;
  /** Whether the stream has the Simple profile of MPEG-4, which has no B-frames. */
  simpleProfile: boolean;
  /** The tag `timecode` of the stream, untrusted text; null if there is none. */
  timecode: string | null;
}

export interface FileFacts {
  path: string;
  /** Result of `sniffContainer`. */
  container: string;
  bytes: number;
  /** Start time of the container as reported by FFmpeg, seconds. */
  start: number;
  /** Duration of the whole container, seconds; null if unknown. */
  duration: number | null;
  streams: readonly StreamFacts[];
}

interface Abilities {
  /** Largest picture to decode, pixels. */
  pixels: number;
  decodes(codec: string): boolean;
}

const textSubtitles = new Set(['subrip', 'webvtt', 'ass', 'ssa', 'mov_text', 'text', 'srt']);

/**
 * Derives the facts of a media file, in the same way for both backends.
 * @throws Problem `no-video-stream`, `unsupported-codec`, `picture-too-large`, `damaged-media`
 */
export function describeMedia(file: FileFacts, abilities: Abilities): MediaInfo {
  const name = basename(file.path);
  const video = file.streams.find(({ kind, attachedPicture }) => kind === 'video' && !attachedPicture);
  if (video === undefined) {
    const cover = file.streams.some(({ attachedPicture }) => attachedPicture);
    throw mediaErrors.problem('no-video-stream', `${name} has ${cover ? 'a cover image, but no video stream' : 'no video stream'}. Use a file with a video stream.`);
  }
  if (video.codec === null || !abilities.decodes(video.codec)) {
    throw mediaErrors.problem('unsupported-codec', `${name}: the decoder does not support ${video.codec === null ? 'the codec of the video' : `the video codec ${video.codec}`}. Convert the video to H.264, HEVC, VP8, VP9 or AV1.`);
  }
  if (video.width * video.height > abilities.pixels) {
    throw mediaErrors.problem('picture-too-large', `${name} has frames of ${video.width} × ${video.height} pixels, more than the limit of ${abilities.pixels} pixels. Convert the video to a smaller frame size.`);
  }
  if (video.width < 1 || video.height < 1) {
    throw mediaErrors.problem('damaged-media', `${name}: no frame of the video stream can be decoded, so the frame size is unknown. Check that the file plays and is complete.`);
  }
  const sounds = file.streams.filter(({ kind, codec, sampleRate, channels }) =>
    kind === 'audio' && codec !== null && sampleRate > 0 && channels > 0 && abilities.decodes(codec));
  // The track that players play: the first track may be a commentary or another language.
  const audio = sounds.find(({ isDefault }) => isDefault) ?? sounds[0];
  return {
    container: file.container,
    bytes: file.bytes,
    // FFmpeg 5 places the priming samples of AAC and Opus before 0 and reports this time as the start; FFmpeg 8 does not.
    start: Math.max(0, file.start),
    duration: Math.max(0, video.duration ?? file.duration ?? 0),
    video: describeVideo(video, video.codec),
    audio: audio === undefined ? null : { stream: audio.index, codec: audio.codec ?? '', sampleRate: audio.sampleRate, channels: audio.channels },
    subtitles: file.streams.flatMap(({ kind, index, codec, language }) =>
      (kind === 'subtitle' && codec !== null && textSubtitles.has(codec) ? [{ stream: index, codec, language }] : [])),
  };
}

function describeVideo(stream: StreamFacts, codec: string): VideoInfo {
  const { rotation, averageRate, baseRate } = stream;
  const aspect = stream.sampleAspect > 0.05 && stream.sampleAspect < 20 ? stream.sampleAspect : 1;
  const width = Math.max(1, Math.round(stream.width * aspect));
  const turned = rotation % 180 !== 0;
  const known = averageRate.numerator > 0 && averageRate.denominator > 0 ? averageRate : baseRate;
  const frameRate = known.numerator > 0 && known.denominator > 0 ? known : { numerator: 25, denominator: 1 };
  return {
    stream: stream.index,
    codec,
    width: turned ? stream.height : width,
    height: turned ? width : stream.height,
    rotation,
    frameRate,
    variableFrameRate: isVariable(frameRate, baseRate),
    ...(stream.timecode !== null && /^\d\d:\d\d:\d\d[:;.]\d\d$/.test(stream.timecode) ? { timecode: stream.timecode.replace('.', ';') } : {}),
    ...(isInOrder(stream) ? { inOrder: true } : {}),
    pixelFormat: stream.pixelFormat,
    bitDepth: bitDepthOf(stream.pixelFormat),
    colour: stream.colour,
    highDynamicRange: isHighDynamicRange(stream.colour),
  };
}

/**
 * Whether frames are stored in the order in which they are shown. FFmpeg takes an MPEG-4 stream that does not tell for one without B-frames until the first one is decoded, so only
 * the Simple profile is certain.
 */
function isInOrder({ codec, delay, simpleProfile }: StreamFacts): boolean {
  return delay === 0 && (codec !== 'mpeg4' || simpleProfile);
}

/**
 * Whether the frame rate is variable: the mean rate differs by more than 1 % from the rate of the timestamps. A factor of 2 is
 * normal for interlaced streams.
 */
function isVariable(mean: { numerator: number; denominator: number }, base: { numerator: number; denominator: number }): boolean {
  if (base.numerator <= 0 || base.denominator <= 0) return false;
  const ratio = (base.numerator * mean.denominator) / (base.denominator * mean.numerator);
  return Math.abs(ratio - 1) > 0.01 && Math.abs(ratio - 2) > 0.02;
}

/** Bits per component, from the name of FFmpeg's pixel format, e.g. `yuv420p10le`, `p010le`, `gray`. */
function bitDepthOf(pixelFormat: string): number {
  const bits = Number(/(\d+)(?:le|be)$/.exec(pixelFormat)?.[1] ?? 8);
  if (bits === 48 || bits === 64) return 16;
  return bits >= 9 && bits <= 16 ? bits : 8;
}

/** Clockwise rotation in multiples of 90 degrees, from the counterclockwise angle of FFmpeg's display matrix. */
export function clockwiseTurn(counterclockwise: number): number {
  return Number.isFinite(counterclockwise) ? (((Math.round(-counterclockwise / 90) % 4) + 4) % 4) * 90 : 0;
}
