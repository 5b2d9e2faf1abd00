import {
  ALL_FORMATS, EncodedAudioPacketSource, EncodedPacketSink, EncodedVideoPacketSource, FilePathSource, FilePathTarget, Input,
  Mp4OutputFormat, Output, WebMOutputFormat, type EncodedPacket, type InputAudioTrack,
} from 'mediabunny';
import type { FrameRate } from '../media/mediaBackend.ts';
import { clearCreationTimes } from './clearCreationTimes.ts';
import { markCodecDelay } from './markCodecDelay.ts';
import { previewFormats, type VideoFormat } from './previewFormats.ts';

interface JoinRequest {
  /** Encoded pieces in order; `at` is the index of the piece's first frame in the preview. */
  pieces: readonly { path: string; at: number; frames: number }[];
  rate: FrameRate;
  /** Path of the file with the whole sound of the preview; null without sound. */
  sound: string | null;
  format: VideoFormat;
  output: string;
  signal: AbortSignal;
}

/**
 * Joins encoded pieces and sound into one file without encoding again. Players can start while the file is still loading,
 * because an mp4 has its index at the start.
 * @throws Error if the pieces were encoded with different parameters, which is an internal error
 */
export async function joinTracks(request: JoinRequest): Promise<void> {
  const frames = request.pieces.reduce((sum, piece) => sum + piece.frames, 0);
  const seconds = (frames * request.rate.denominator) / request.rate.numerator;
  const { container, picture, sound: soundCodec } = previewFormats[request.format];
  const sound = request.sound === null ? null : openSound(request.sound);
  const output = new Output({
    format: container === 'mp4' ? new Mp4OutputFormat({ fastStart: 'reserve' }) : new WebMOutputFormat(),
    target: new FilePathTarget(request.output),
  });
  try {
    const video = new EncodedVideoPacketSource(picture === 'h264' ? 'avc' : picture);
    // A damaged piece may have a frame more or less than planned; the reserved index has room for both.
    output.addVideoTrack(video, {
      frameRate: request.rate.numerator / request.rate.denominator, maximumPacketCount: frames + request.pieces.length + 8,
    });
    const audio = sound === null ? null : new EncodedAudioPacketSource(soundCodec);
    // AAC has 47 packets per second, Opus 50.
    if (audio !== null) output.addAudioTrack(audio, { maximumPacketCount: Math.ceil(seconds * 50) + 100 });
    await output.start();
    await copyPackets(request, video, audio === null || sound === null ? null : soundCopier(sound, audio, seconds));
    await output.finalize();
  } catch (error) {
    await output.cancel();
    throw error;
  } finally {
    sound?.dispose();
  }
  await (container === 'mp4' ? clearCreationTimes(request.output) : markCodecDelay(request.output));
}

function openSound(path: string): Input {
  return new Input({ formats: ALL_FORMATS, source: new FilePathSource(path) });
}

/** Copies the sound packets up to a time (seconds). Repeated calls interleave picture and sound in the file. */
type CopySound = (until: number) => Promise<void>;

async function copyPackets({ pieces, rate, signal }: JoinRequest, video: EncodedVideoPacketSource, copySound: CopySound | null): Promise<void> {
  const frame = rate.denominator / rate.numerator;
  let common: Uint8Array | null = null;
  for (const piece of pieces) {
    signal.throwIfAborted();
    const input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(piece.path) });
    try {
      const track = await input.getPrimaryVideoTrack();
      const decoderConfig = await track?.getDecoderConfig();
      if (track === null || !decoderConfig) throw new Error(`the piece ${piece.path} has no video track that can be joined`);
      const description = bytesOf(decoderConfig.description);
      common ??= description;
      if (!Buffer.from(common).equals(description)) throw new Error(`the piece ${piece.path} was encoded with other parameters than the previous piece`);
      const first = await track.getFirstTimestamp();
      for await (const packet of new EncodedPacketSink(track).packets()) {
        const index = Math.round((packet.timestamp - first) / frame);
        if (index >= piece.frames) continue;
        const timestamp = (piece.at + index) * frame;
        await copySound?.(timestamp);
        await video.add(packet.clone({ timestamp, duration: frame }), { decoderConfig });
      }
    } finally {
      input.dispose();
    }
  }
  video.close();
  await copySound?.(Infinity);
}

function bytesOf(description: VideoDecoderConfig['description']): Uint8Array {
  if (description === undefined) return new Uint8Array(0);
  return ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description);
}

function soundCopier(input: Input, audio: EncodedAudioPacketSource, seconds: number): CopySound {
  let packets: AsyncGenerator<EncodedPacket> | null = null;
  let waiting: EncodedPacket | null = null;
  let track: InputAudioTrack | null = null;
  let ended = false;
  return async (until) => {
    if (packets === null) {
      track = await input.getPrimaryAudioTrack();
      if (track === null) throw new Error('the encoded audio file has no audio track');
      packets = new EncodedPacketSink(track).packets();
    }
    const decoderConfig = (await track?.getDecoderConfig()) ?? undefined;
    while (!ended) {
      waiting ??= (await packets.next()).value ?? null;
      // Encoders round the end of the sound up to a whole packet; the picture determines the end of the preview.
      if (waiting === null || waiting.timestamp >= seconds) {
        ended = true;
        audio.close();
        return;
      }
      if (waiting.timestamp > until) return;
      const duration = Math.min(waiting.duration, seconds - waiting.timestamp);
      await audio.add(waiting.clone({ duration }), decoderConfig === undefined ? undefined : { decoderConfig });
      waiting = null;
    }
  };
}
