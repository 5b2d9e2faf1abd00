import { AV_CODEC_FLAG_GLOBAL_HEADER, AVFMT_GLOBALHEADER, AVFMT_NOFILE, type FFEncoderCodec } from 'node-av/constants';
import { Codec, CodecContext, FormatContext, Packet, type Frame, type Stream } from 'node-av/lib';
import { check, isNothing } from './check.ts';
import { setOptions, type Options } from './setOptions.ts';

/** One encoded track of an output. */
export interface Track {
  readonly context: CodecContext;
  readonly stream: Stream;
  /** Encodes a frame whose pts is in the encoder's time base. */
  push(frame: Frame): void;
}

/** A file being written. Call in order: add tracks, begin, push frames, end. */
export interface Output {
  /**
   * Adds an encoded track.
   * @param prepare sets the fields of the encoder that are not options: size, format, time base, rate
   */
  addTrack(encoder: string, options: Options, prepare: (context: CodecContext) => void): Track;
  /** Adds a track of finished packets, e.g. a cover. */
  addStream(prepare: (stream: Stream) => void): Stream;
  begin(options?: Options): void;
  write(packet: Packet): void;
  /** Drains the encoders, writes the trailer and closes the file. */
  end(): void;
}

/**
 * Opens a file for writing.
 * @param format FFmpeg's short name of the container; default: by the ending of the path
 * @throws AvError
 */
export function openOutput(path: string, format: string | null = null): Output {
  const container = new FormatContext();
  check(container.allocOutputContext2(null, format, path), 'choosing the container');
  const flags = container.oformat?.flags ?? 0;
  const packet = new Packet();
  packet.alloc();
  const tracks: { track: Track; drain: () => void }[] = [];

  const receive = (context: CodecContext, stream: Stream): void => {
    for (;;) {
      const code = context.receivePacketSync(packet);
      if (isNothing(code)) return;
      check(code, 'encoding');
      packet.streamIndex = stream.index;
      // Without a duration of the last packet, an mp4 ends before its last frame.
      if (packet.duration === 0n) packet.duration = 1n;
      packet.rescaleTs(context.timeBase, stream.timeBase);
      check(container.interleavedWriteFrameSync(packet), 'writing the file');
    }
  };

  return {
    addTrack(name, options, prepare) {
      const codec = Codec.findEncoderByName(name as FFEncoderCodec);
      if (codec === null) throw new Error(`the encoder ${name} is missing in this build of the libraries`);
      const context = new CodecContext();
      context.allocContext3(codec);
      prepare(context);
      if (flags & AVFMT_GLOBALHEADER) context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
      setOptions(context, options);
      check(context.open2Sync(codec), `opening the encoder ${name}`);
      const stream = container.newStream();
      stream.timeBase = context.timeBase;
      check(stream.codecpar.fromContext(context), 'describing the track');
      const track: Track = {
        context,
        stream,
        push(frame) {
          check(context.sendFrameSync(frame), 'encoding');
          receive(context, stream);
        },
      };
      tracks.push({
        track,
        drain: () => {
          check(context.sendFrameSync(null), 'encoding');
          receive(context, stream);
        },
      });
      return track;
    },
    addStream(prepare) {
      const stream = container.newStream();
      prepare(stream);
      return stream;
    },
    begin(options = {}) {
      if (!(flags & AVFMT_NOFILE)) check(container.openOutputSync(), 'opening the file to be written');
      setOptions(container, options);
      check(container.writeHeaderSync(), 'writing the header');
    },
    write(finished) {
      check(container.interleavedWriteFrameSync(finished), 'writing the file');
    },
    end() {
      for (const { drain } of tracks) drain();
      check(container.writeTrailerSync(), 'writing the trailer');
      container.closeOutputSync();
      for (const { track } of tracks) track.context.freeContext();
      container.freeContext();
      packet.free();
    },
  };
}

