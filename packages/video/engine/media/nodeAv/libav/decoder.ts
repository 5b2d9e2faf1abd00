import { AV_FRAME_FLAG_CORRUPT, AV_NOPTS_VALUE, AV_PKT_FLAG_CORRUPT, AV_PKT_FLAG_KEY, AVERROR_EOF, AVSEEK_FLAG_BACKWARD } from 'node-av/constants';
import { Codec, CodecContext, Frame, Packet, type Stream } from 'node-av/lib';
import { check, isNothing } from './check.ts';
import type { Input } from './input.ts';
import { setOptions, type Options } from './setOptions.ts';

/** Decodes the frames of one stream. */
export interface Decoder {
  readonly stream: Stream;
  /** Number of damaged packets and frames so far. */
  damaged(): number;
  /**
   * Yields the frames from the current position on with their times, seconds. A frame belongs to the decoder and is valid
   * until the next frame is requested. Damage is counted and skipped.
   * @param until packets with a later decoding time are not read, seconds
   */
  frames(until?: number): Generator<{ frame: Frame; time: number }>;
  /** Seeks to a key frame at or before the time, seconds. */
  seek(time: number): void;
  /** Seeks to the beginning. */
  rewind(): void;
  close(): void;
}

export interface DecoderSettings {
  threads: number;
  pixels: number;
  options?: Options;
  /** Whether only key frames reach the decoder; for decoders that cannot skip other frames. */
  keysOnly?: boolean;
}

/**
 * Opens a decoder for a stream.
 * @throws AvError
 */
export function openDecoder(input: Input, stream: Stream, { threads, pixels, options = {}, keysOnly = false }: DecoderSettings): Decoder {
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  if (codec === null) throw new Error('no decoder supports the codec of the stream');
  const context = new CodecContext();
  context.allocContext3(codec);
  check(context.parametersToContext(stream.codecpar), 'reading the parameters of the stream');
  context.pktTimebase = stream.timeBase;
  setOptions(context, { threads, max_pixels: pixels, ...options });
  check(context.open2Sync(codec), 'opening the decoder');
  const packet = new Packet();
  packet.alloc();
  const frame = new Frame();
  frame.alloc();
  const { container } = input;
  const { index } = stream;
  let damage = 0;
  let last = Number.NEGATIVE_INFINITY;

  function* receive(): Generator<{ frame: Frame; time: number }> {
    for (;;) {
      const code = context.receiveFrameSync(frame);
      if (isNothing(code)) return;
      if (code < 0) {
        damage += 1;
        // Ends the loop: a decoder without further frames would return this result forever.
        return;
      }
      if (frame.flags & AV_FRAME_FLAG_CORRUPT || frame.decodeErrorFlags !== 0) damage += 1;
      last = timeOf(frame);
      yield { frame, time: last };
    }
  }

  function timeOf({ bestEffortTimestamp, pts }: Frame): number {
    const timestamp = bestEffortTimestamp === AV_NOPTS_VALUE ? pts : bestEffortTimestamp;
    if (timestamp !== AV_NOPTS_VALUE) return input.seconds(timestamp, stream);
    const { num, den } = stream.avgFrameRate;
    return Number.isFinite(last) ? last + (num > 0 ? den / num : 0.04) : 0;
  }

  const forget = (): void => {
    context.flushBuffers();
    last = Number.NEGATIVE_INFINITY;
  };

  return {
    stream,
    damaged: () => damage,
    *frames(until = Number.POSITIVE_INFINITY) {
      for (;;) {
        const read = container.readFrameSync(packet);
        if (read < 0) {
          if (read !== AVERROR_EOF) damage += 1;
          break;
        }
        if (packet.streamIndex !== index) {
          packet.unref();
          continue;
        }
        if (Number.isFinite(until) && packet.dts !== AV_NOPTS_VALUE && input.seconds(packet.dts, stream) > until) {
          packet.unref();
          break;
        }
        const { flags } = packet;
        if (flags & AV_PKT_FLAG_CORRUPT) damage += 1;
        if (keysOnly && !(flags & AV_PKT_FLAG_KEY)) {
          packet.unref();
          continue;
        }
        const code = context.sendPacketSync(packet);
        packet.unref();
        if (code < 0 && !isNothing(code)) damage += 1;
        yield* receive();
      }
      context.sendPacketSync(null);
      yield* receive();
    },
    seek(time) {
      check(container.seekFrameSync(index, input.timestamp(time, stream), AVSEEK_FLAG_BACKWARD), 'seeking');
      forget();
    },
    rewind() {
      input.rewind();
      forget();
    },
    close() {
      context.freeContext();
      packet.free();
      frame.free();
    },
  };
}
