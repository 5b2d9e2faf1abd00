import {
  ADTS, EncodedAudioPacketSource, EncodedPacketSink, EncodedVideoPacketSource, FilePathSource, FilePathTarget, Input, MATROSKA, MP3, MP4, Mp4OutputFormat, MPEG_TS,
  Output, WEBM, type EncodedPacket, type InputAudioTrack, type InputVideoTrack, type Rotation,
} from 'mediabunny';
import { isDiskFull } from '@vouch/platform/process/diskFull';
import { clearCreationTimes } from './clearCreationTimes.ts';

/** Containers of segments. */
const formats = [MP4, MPEG_TS, MATROSKA, WEBM, ADTS, MP3];

interface StreamFiles {
  /** File with the pictures. */
  video: string;
  /** File with the sound, on the same clock. */
  audio: string;
  /** Path of the mp4 file to write. */
  output: string;
}

/**
 * Joins the pictures of one file and the sound of another in an mp4 file, without encoding again. Times relative to each other are kept.
 * @returns false if one of the files cannot be read, or has a codec that mp4 cannot contain
 */
export async function joinStreams({ video, audio, output }: StreamFiles): Promise<boolean> {
  const inputs = [video, audio].map((path) => new Input({ formats, source: new FilePathSource(path) }));
  let joined: Output | null = null;
  try {
    const [pictures, sound] = [await readTrack(await inputs[0]!.getPrimaryVideoTrack()), await readTrack(await inputs[1]!.getPrimaryAudioTrack())];
    if (pictures === null || sound === null) return false;
    joined = new Output({ format: new Mp4OutputFormat({ fastStart: false }), target: new FilePathTarget(output) });
    const tracks = addTracks(joined, pictures, sound);
    await joined.start();
    await copyInOrder(tracks);
    await joined.finalize();
    await clearCreationTimes(output);
    return true;
  } catch (error) {
    await joined?.cancel().catch(() => {});
    if (isDiskFull(error)) throw error;
    return false;
  } finally {
    for (const input of inputs) input.dispose();
  }
}

/** A track whose codec is known. */
interface ReadTrack<Track extends InputVideoTrack | InputAudioTrack> {
  track: Track;
  codec: NonNullable<Awaited<ReturnType<Track['getCodec']>>>;
  config: NonNullable<Awaited<ReturnType<Track['getDecoderConfig']>>>;
  first: number;
  rotation: Rotation;
}

async function readTrack<Track extends InputVideoTrack | InputAudioTrack>(track: Track | null): Promise<ReadTrack<Track> | null> {
  if (track === null) return null;
  const [codec, config, first] = [await track.getCodec(), await track.getDecoderConfig(), await track.getFirstTimestamp()];
  if (codec === null || config === null) return null;
  return { track, codec, config, first, rotation: track.isVideoTrack() ? await track.getRotation() : 0 } as ReadTrack<Track>;
}

/** A track to copy: its packets in decoding order, and the function that writes one. */
interface CopiedTrack {
  packets: AsyncGenerator<EncodedPacket>;
  write(packet: EncodedPacket): Promise<void>;
  close(): void;
}

function addTracks(output: Output, pictures: ReadTrack<InputVideoTrack>, sound: ReadTrack<InputAudioTrack>): readonly CopiedTrack[] {
  const [video, audio] = [new EncodedVideoPacketSource(pictures.codec), new EncodedAudioPacketSource(sound.codec)];
  output.addVideoTrack(video, { rotation: pictures.rotation });
  output.addAudioTrack(audio);
  const start = Math.min(pictures.first, sound.first);
  const moved = (packet: EncodedPacket): EncodedPacket => packet.clone({ timestamp: Math.max(0, packet.timestamp - start) });
  return [
    { packets: new EncodedPacketSink(pictures.track).packets(), write: (packet) => video.add(moved(packet), { decoderConfig: pictures.config }), close: () => video.close() },
    { packets: new EncodedPacketSink(sound.track).packets(), write: (packet) => audio.add(moved(packet), { decoderConfig: sound.config }), close: () => audio.close() },
  ];
}

/** Copies the packets of the tracks by their times, so that pictures and sound of one moment are near each other in the file. */
async function copyInOrder(tracks: readonly CopiedTrack[]): Promise<void> {
  const waiting = await Promise.all(tracks.map(async (track) => ({ track, packet: await nextOf(track) })));
  for (;;) {
    const [first] = waiting.filter(({ packet }) => packet !== null).toSorted((a, b) => a.packet!.timestamp - b.packet!.timestamp);
    if (first === undefined) return;
    await first.track.write(first.packet!);
    first.packet = await nextOf(first.track);
  }
}

async function nextOf(track: CopiedTrack): Promise<EncodedPacket | null> {
  const { value, done } = await track.packets.next();
  if (done !== true) return value;
  track.close();
  return null;
}
