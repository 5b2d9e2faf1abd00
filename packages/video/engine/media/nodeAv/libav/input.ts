import { resolve } from 'node:path';
import { AV_NOPTS_VALUE, AVDISCARD_ALL, AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_VIDEO, AVSEEK_FLAG_BACKWARD, AVSEEK_FLAG_BYTE } from 'node-av/constants';
import { Codec, FormatContext, InputFormat, type Stream } from 'node-av/lib';
import { demuxerList, demuxers } from '../../containers.ts';
import type { Source } from '../protocol/task.ts';
import { check } from './check.ts';
import { setOptions } from './setOptions.ts';

/** A media file opened for reading. */
export interface Input {
  readonly container: FormatContext;
  stream(index: number): Stream;
  /** Reads only the given streams. */
  only(...indexes: readonly number[]): void;
  /** Time of a timestamp on the file's clock, seconds; as FFmpeg counts without -copyts. */
  seconds(timestamp: bigint, stream: Stream): number;
  /** Timestamp of a stream at a time on the file's clock. */
  timestamp(seconds: number, stream: Stream): bigint;
  /** Seeks to the first packet. */
  rewind(): void;
  close(): void;
}

/**
 * Opens an untrusted file: only the demuxer of the sniffed container is used, and only local files can be opened. Without
 * these limits, an ffconcat script named .mp4 could read other files, and a playlist could open any URL.
 * @throws AvError
 */
export function openInput({ path, container: name, pixels, start: known }: Source): Input {
  const demuxer = demuxers[name];
  const format = demuxer === undefined ? null : InputFormat.findInputFormat(demuxer);
  if (format === null) throw new Error(`the container ${name} is not supported`);
  const container = new FormatContext();
  container.allocContext();
  setOptions(container, {
    protocol_whitelist: 'file,crypto,data',
    format_whitelist: demuxerList,
    codec_whitelist: decodedWhenOpening(),
  });
  check(container.openInputSync(`file:${resolve(path)}`, format), 'opening the file');
  refuseLargePictures(container, pixels);
  check(container.findStreamInfoSync(), 'reading the streams');
  const { streams, startTime } = container;
  const claimed = startTime === AV_NOPTS_VALUE ? 0n : startTime;
  const start = known === null ? claimed : BigInt(Math.round(known * 1e6));
  return {
    container,
    stream(index) {
      const found = streams[index];
      if (found === undefined) throw new Error(`the file has no stream ${index}`);
      return found;
    },
    only(...indexes) {
      for (const stream of streams) if (!indexes.includes(stream.index)) stream.discard = AVDISCARD_ALL;
    },
    seconds(timestamp, { timeBase }) {
      return Number((timestamp - inUnits(start, timeBase)) * BigInt(timeBase.num)) / timeBase.den;
    },
    timestamp(seconds, { timeBase }) {
      return BigInt(Math.floor((seconds * timeBase.den) / timeBase.num + 1e-6)) + inUnits(start, timeBase);
    },
    rewind() {
      // Without an index, a search for the first timestamp may end after the first key frame.
      const byBytes = name === 'mpegts' || name === 'mpeg';
      const earliest = claimed < 0n ? claimed : 0n;
      check(container.seekFrameSync(-1, byBytes ? 0n : earliest, byBytes ? AVSEEK_FLAG_BYTE : AVSEEK_FLAG_BACKWARD), 'seeking');
    },
    close: () => container.closeInputSync(),
  };
}

/**
 * Decoders that may run inside `findStreamInfo`, which decodes a picture if the header is incomplete. `findStreamInfo` accepts
 * no limit (except by a Dictionary, see setOptions), and a PNG of 12,000 × 12,000 pixels in 1 MB would use 1.2 GB, whatever
 * size the container claims. The list therefore contains sound, and video codecs whose headers state the size before any
 * picture; `probe` decodes the other codecs under the limit.
 */
const tellTheirSize = [
  'h264', 'hevc', 'vp8', 'vp9', 'libvpx', 'libvpx-vp9', 'libdav1d', 'av1', 'mpeg1video', 'mpeg2video', 'mpegvideo', 'mpeg4',
  'msmpeg4', 'msmpeg4v1', 'msmpeg4v2', 'h263', 'h263p', 'flv', 'wmv1', 'wmv2', 'wmv3', 'vc1', 'theora', 'vp6', 'vp6f',
];

function decodedWhenOpening(): string {
  const sound = Codec.getCodecList().filter((codec) => codec.isDecoder() && codec.type === AVMEDIA_TYPE_AUDIO);
  return [...tellTheirSize, ...sound.map(({ name }) => name)].join(',');
}

/** Rejects pictures above the limit by the size in the header, before anything is decoded. */
function refuseLargePictures({ streams }: FormatContext, pixels: number): void {
  for (const { codecpar } of streams) {
    if (codecpar.codecType === AVMEDIA_TYPE_VIDEO && codecpar.width * codecpar.height > pixels) {
      throw new Error(`a picture of ${codecpar.width}x${codecpar.height} exceeds specified max pixel count ${pixels}`);
    }
  }
}

/** Converts microseconds to units of a time base, rounded to the nearest unit as in FFmpeg. */
function inUnits(microseconds: bigint, { num, den }: { num: number; den: number }): bigint {
  const divisor = 1_000_000n * BigInt(num);
  const value = microseconds * BigInt(den);
  const half = divisor / 2n;
  return value >= 0n ? (value + half) / divisor : -((-value + half) / divisor);
}
