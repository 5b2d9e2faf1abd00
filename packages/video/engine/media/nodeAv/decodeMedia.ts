import { basename } from 'node:path';
import { mediaErrors } from '../../mediaErrors.ts';
import { believableEnd } from '../believableEnd.ts';
import { countDamage } from '../ffmpeg/damage.ts';
import type { Picture, PictureRequest, PictureStream, SoundRequest, SubtitleRequest } from '../mediaBackend.ts';
import type { MediaInfo, PacketIndex } from '../mediaInfo.ts';
import { makePacketIndex, type IndexedPacket } from '../packetIndex.ts';
import { placeSamples, type SampleRun } from '../placeSamples.ts';
import { writeSubRip, type SubtitlePacket } from '../subtitlePackets.ts';
import { askAv, type AvTools } from './askAv.ts';
import type { AvRecord } from './protocol/records.ts';
import { knownSource } from './sources.ts';

/** Lists the packets of the video stream without decoding. */
export async function listPackets(tools: AvTools, path: string, info: MediaInfo, signal: AbortSignal): Promise<PacketIndex> {
  const found: IndexedPacket[] = [];
  const answer = askAv(tools, { kind: 'packets', source: knownSource(tools, path, info) }, {
    path, signal, failing: 'contains packets that cannot be read', code: () => 'damaged-media',
  });
  for await (const { time, number } of answer) found.push({ time, size: number >>> 1, key: number % 2 === 1 });
  if (found.length === 0) throw mediaErrors.problem('damaged-media', `${basename(path)} has a video stream without packets. Check that the file is complete.`);
  return makePacketIndex(found);
}

/** Reads a subtitle stream as SubRip. */
export async function readSubtitles(tools: AvTools, { path, info, stream, codec, signal }: SubtitleRequest): Promise<string> {
  const packets: SubtitlePacket[] = [];
  const answer = askAv(tools, { kind: 'subtitles', source: knownSource(tools, path, info), stream }, {
    path, signal, failing: 'has subtitles that cannot be read', code: () => 'damaged-media',
  });
  for await (const { time, number, data } of answer) packets.push({ time, seconds: number / 1000, data });
  return writeSubRip(codec, packets);
}

/** Decodes pictures of the requested size and format. */
export function decodePictures(tools: AvTools, request: PictureRequest): PictureStream {
  const complaints = countDamage();
  let damaged = 0;
  const { path, info, width, height, format, skip, signal, stretches = [request] } = request;
  const source = knownSource(tools, path, info);
  const { threads = source.threads } = request;
  async function* decode(): AsyncGenerator<Picture> {
    for (const { from = null, to = null, fromKey = false } of stretches) yield* decodePart(from, to, fromKey);
  }
  async function* decodePart(from: number | null, to: number | null, fromKey: boolean): AsyncGenerator<Picture> {
    let any = false;
    const answer = askAv(tools, { kind: 'pictures', source: { ...source, threads }, width, height, format, skip, from, to, fromKey }, {
      path, signal, failing: 'cannot be decoded', code: () => (any ? 'decoder-failed' : 'damaged-media'), heardStderr: complaints.hear,
    });
    const before = damaged;
    for await (const { time, number, data } of answer) {
      damaged = before + number;
      if (data.length === 0) continue;
      any = true;
      yield { time, data };
    }
  }
  return { damaged: () => damaged + complaints.count(), [Symbol.asyncIterator]: decode };
}

/** Decodes, resamples and mixes the sound in the child, and places the samples on an even clock in this process. */
export async function* decodeSound(tools: AvTools, request: SoundRequest): AsyncGenerator<Int16Array> {
  const { path, info, signal, sampleRate, channels, from = 0, to = Number.POSITIVE_INFINITY } = request;
  if (info.audio === null) return;
  const answer = askAv(tools, { kind: 'sound', source: knownSource(tools, path, info), sampleRate, channels, from, to: Math.min(to, believableEnd(info.duration)) }, {
    path, signal, failing: 'has audio that cannot be decoded', code: () => 'decoder-failed',
  });
  yield* placeSamples(sampleRuns(answer), { sampleRate, channels, from, to });
}

async function* sampleRuns(answer: AsyncIterable<AvRecord>): AsyncGenerator<SampleRun> {
  for await (const { time, data } of answer) yield { time, samples: new Int16Array(data.buffer, 0, data.byteLength >> 1) };
}
