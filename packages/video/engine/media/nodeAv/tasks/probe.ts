import {
  AV_DISPOSITION_ATTACHED_PIC, AV_DISPOSITION_DEFAULT, AV_NOPTS_VALUE, AV_PKT_DATA_DISPLAYMATRIX, AV_PROFILE_MPEG4_SIMPLE, AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_SUBTITLE, AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants';
import { avGetCodecName, avGetPixFmtName, Codec, type Stream } from 'node-av/lib';
import { clockwiseTurn } from '../../describeMedia.ts';
import { openDecoder } from '../libav/decoder.ts';
import { openInput, type Input } from '../libav/input.ts';
import type { ProbeAnswer, ProbedStream, Source } from '../protocol/task.ts';

const kinds = new Map<number, ProbedStream['kind']>([[AVMEDIA_TYPE_VIDEO, 'video'], [AVMEDIA_TYPE_AUDIO, 'audio'], [AVMEDIA_TYPE_SUBTITLE, 'subtitle']]);

/** Reads the facts of a file and of its streams. */
export function probe(source: Source): ProbeAnswer {
  const input = openInput(source);
  const { duration, streams, startTime } = input.container;
  const answer: ProbeAnswer = {
    start: startTime === AV_NOPTS_VALUE ? 0 : Number(startTime) / 1e6,
    duration: duration === AV_NOPTS_VALUE ? null : Number(duration) / 1e6,
    streams: streams.map(streamFacts),
  };
  const video = answer.streams.find(({ kind, attachedPicture }) => kind === 'video' && !attachedPicture);
  if (video?.decodable === true && video.pixelFormat === 'unknown') Object.assign(video, firstPicture(input, video.index, source));
  input.close();
  return answer;
}

function streamFacts(stream: Stream): ProbedStream {
  const { codecpar, duration, timeBase, avgFrameRate, rFrameRate } = stream;
  const kind = kinds.get(codecpar.codecType) ?? 'other';
  const aspect = stream.sampleAspectRatio.num > 0 ? stream.sampleAspectRatio : codecpar.sampleAspectRatio;
  const codec = avGetCodecName(codecpar.codecId);
  return {
    index: stream.index,
    kind,
    codec: codec === null || codec === 'none' || codec === 'unknown_codec' ? null : codec,
    attachedPicture: (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) !== 0,
    isDefault: (stream.disposition & AV_DISPOSITION_DEFAULT) !== 0,
    // Rounded to whole microseconds, as in ffprobe.
    duration: duration === AV_NOPTS_VALUE ? null : Math.round((1e6 * Number(duration) * timeBase.num) / timeBase.den) / 1e6,
    language: stream.metadata?.get('language')?.slice(0, 20) ?? null,
    width: codecpar.width,
    height: codecpar.height,
    sampleAspect: aspect.num > 0 && aspect.den > 0 ? aspect.num / aspect.den : 1,
    rotation: turnOf(codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX)),
    pixelFormat: kind === 'video' ? pixelFormatName(codecpar.format) : 'unknown',
    colour: { primaries: codecpar.colorPrimaries, transfer: codecpar.colorTrc, matrix: codecpar.colorSpace },
    averageRate: { numerator: avgFrameRate.num, denominator: avgFrameRate.den },
    baseRate: { numerator: rFrameRate.num, denominator: rFrameRate.den },
    sampleRate: codecpar.sampleRate,
    channels: codecpar.channels,
    delay: codecpar.videoDelay,
    simpleProfile: codecpar.profile === AV_PROFILE_MPEG4_SIMPLE,
    timecode: stream.metadata?.get('timecode') ?? null,
    decodable: Codec.findDecoder(codecpar.codecId) !== null,
  };
}

/**
 * Facts that only a decoded picture shows; empty if no picture can be decoded, for example because it exceeds the limit, which
 * the log states.
 */
function firstPicture(input: Input, index: number, { pixels, threads }: Source): Partial<ProbedStream> {
  input.only(index);
  const decoder = openDecoder(input, input.stream(index), { pixels, threads });
  try {
    for (const { frame } of decoder.frames()) return { width: frame.width, height: frame.height, pixelFormat: pixelFormatName(frame.format) };
    return {};
  } finally {
    decoder.close();
  }
}

function pixelFormatName(format: number): string {
  return avGetPixFmtName(format as Parameters<typeof avGetPixFmtName>[0]) ?? 'unknown';
}

/** Clockwise angle of a display matrix, computed as in av_display_rotation_get. */
function turnOf(matrix: Buffer | null): number {
  if (matrix === null || matrix.length < 36) return 0;
  const at = (index: number): number => matrix.readInt32LE(4 * index) / 65_536;
  const scale = [Math.hypot(at(0), at(3)), Math.hypot(at(1), at(4))] as const;
  if (scale[0] === 0 || scale[1] === 0) return 0;
  return clockwiseTurn((-Math.atan2(at(1) / scale[1], at(0) / scale[0]) * 180) / Math.PI);
}
