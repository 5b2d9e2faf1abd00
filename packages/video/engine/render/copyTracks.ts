import {
  EncodedAudioPacketSource, EncodedPacketSink, EncodedVideoPacketSource, type EncodedPacket, type InputAudioTrack, type InputVideoTrack, type Output, type Rotation,
} from 'mediabunny';

/** A track whose codec is known. */
export interface ReadTrack<Track extends InputVideoTrack | InputAudioTrack> {
  track: Track;
  codec: NonNullable<Awaited<ReturnType<Track['getCodec']>>>;
  config: NonNullable<Awaited<ReturnType<Track['getDecoderConfig']>>>;
  first: number;
  rotation: Rotation;
}

/** Reads what a copy of a track needs; null if there is no track, or if its codec is unknown. */
export async function readTrack<Track extends InputVideoTrack | InputAudioTrack>(track: Track | null): Promise<ReadTrack<Track> | null> {
  if (track === null) return null;
  const [codec, config, first] = [await track.getCodec(), await track.getDecoderConfig(), await track.getFirstTimestamp()];
  if (codec === null || config === null) return null;
  return { track, codec, config, first, rotation: track.isVideoTrack() ? await track.getRotation() : 0 } as ReadTrack<Track>;
}

/**
 * Copies the packets of tracks into an output, which it starts, without encoding again. The first packet gets the time 0; times relative to each other
 * are kept.
 */
export async function copyTracks(output: Output, pictures: ReadTrack<InputVideoTrack>, sound: ReadTrack<InputAudioTrack> | null): Promise<void> {
  const start = Math.min(pictures.first, sound?.first ?? Infinity);
  const moved = (packet: EncodedPacket): EncodedPacket => packet.clone({ timestamp: Math.max(0, packet.timestamp - start) });
  const video = new EncodedVideoPacketSource(pictures.codec);
  output.addVideoTrack(video, { rotation: pictures.rotation });
  const tracks: CopiedTrack[] = [
    { packets: new EncodedPacketSink(pictures.track).packets(), write: (packet) => video.add(moved(packet), { decoderConfig: pictures.config }), close: () => video.close() },
  ];
  if (sound !== null) {
    const audio = new EncodedAudioPacketSource(sound.codec);
    output.addAudioTrack(audio);
    tracks.push({ packets: new EncodedPacketSink(sound.track).packets(), write: (packet) => audio.add(moved(packet), { decoderConfig: sound.config }), close: () => audio.close() });
  }
  await output.start();
  await copyInOrder(tracks);
}

/** A track to copy: its packets in decoding order, and the function that writes one. */
interface CopiedTrack {
  packets: AsyncGenerator<EncodedPacket>;
  write(packet: EncodedPacket): Promise<void>;
  close(): void;
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
