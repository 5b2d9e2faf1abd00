import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeMedia } from '../describeMedia.ts';
import { mediaErrors } from '../../mediaErrors.ts';
import type { MediaBackend, MediaBackendOptions, Picture, PictureRequest, PictureStream, SoundRequest } from '../mediaBackend.ts';
import type { MediaInfo, PacketIndex } from '../mediaInfo.ts';
import { makePacketIndex, type IndexedPacket } from '../packetIndex.ts';
import { placeSamples, type SampleRun } from '../placeSamples.ts';
import { sniffContainer } from '../sniff/sniffContainer.ts';
import { answerOfAv, askAv, AvRefused, type AvTools } from './avChild.ts';
import { readRecords } from './records.ts';
import type { KnownSource, ProbeAnswer, Source } from './task.ts';

/**
 * A media backend over the FFmpeg libraries of node-av: one short-lived child process of Node per call, the only one that
 * loads them. They need no install script and none of node-av's own dependencies.
 * @throws Error where node-av is not installed or has no libraries for this platform
 */
export async function openNodeAv({ limits, timers }: MediaBackendOptions): Promise<MediaBackend> {
  const tools: AvTools = { limits, timers };
  const version = await versionOf(tools);
  return {
    name: 'node-av',
    version,
    probe: (path, signal) => probeFile(tools, path, signal),
    packets: (path, info, signal) => listPackets(tools, path, info, signal),
    pictures: (request) => readPictures(tools, request),
    sound: (request) => readSound(tools, request),
    encodePiece: (request) => Promise.reject(new Error(`not yet ${request.output}`)),
    encodeSound: (request) => Promise.reject(new Error(`not yet ${request.output}`)),
    encodeStill: (request) => Promise.reject(new Error(`not yet ${request.output}`)),
    encodeAnimation: (request) => Promise.reject(new Error(`not yet ${request.output}`)),
    encodeClip: (request) => Promise.reject(new Error(`not yet ${request.output}`)),
  };
}

async function versionOf(tools: AvTools): Promise<string> {
  try {
    fileURLToPath(import.meta.resolve('node-av/lib'));
    const { answer } = await answerOfAv(tools, { kind: 'version' }, null);
    return answer;
  } catch (error) {
    const why = error instanceof AvRefused ? error.complaints.trim().split('\n').at(-1) : 'the package node-av is not installed';
    throw new Error(`node-av cannot be loaded (${why})`, { cause: error });
  }
}

function sourceOf({ limits }: AvTools, path: string, container: string): Source {
  return { path, container, pixels: limits.pixels, threads: limits.threads };
}

function knownSource(tools: AvTools, path: string, info: MediaInfo): KnownSource {
  return { ...sourceOf(tools, path, info.container), info };
}

async function probeFile(tools: AvTools, path: string, signal: AbortSignal): Promise<MediaInfo> {
  const container = await sniffContainer(path);
  const { size } = await stat(path);
  const { streams, ...facts } = await askProbe(tools, path, container, signal);
  const decodable = new Set(streams.filter((stream) => stream.decodable).map((stream) => stream.codec));
  return describeMedia(
    { path, container, bytes: size, streams, ...facts },
    { pixels: tools.limits.pixels, decodes: (codec) => decodable.has(codec) },
  );
}

async function askProbe(tools: AvTools, path: string, container: string, signal: AbortSignal): Promise<ProbeAnswer> {
  const tooLarge = (complaints: string): void => {
    if (!/exceeds specified max pixel count|Picture size \d+x\d+ is invalid/.test(complaints)) return;
    throw mediaErrors.problem('picture-too-large', `${basename(path)} has pictures of more than ${tools.limits.pixels} pixels. Convert it to a smaller picture.`);
  };
  try {
    const work = { path, signal, failing: `is not a readable ${container} file`, code: 'damaged-media' } as const;
    const { answer, complaints } = await answerOfAv(tools, { kind: 'probe', source: sourceOf(tools, path, container) }, work);
    tooLarge(complaints);
    return JSON.parse(answer) as ProbeAnswer;
  } catch (error) {
    if (!(error instanceof AvRefused)) throw error;
    tooLarge(error.complaints);
    throw error.error;
  }
}

async function listPackets(tools: AvTools, path: string, info: MediaInfo, signal: AbortSignal): Promise<PacketIndex> {
  const found: IndexedPacket[] = [];
  const answer = askAv(tools, { kind: 'packets', source: knownSource(tools, path, info) }, {
    path, signal, failing: 'has packets that cannot be read', code: () => 'damaged-media',
  });
  for await (const { time, number } of readRecords(answer)) found.push({ time, size: number >>> 1, key: number % 2 === 1 });
  if (found.length === 0) throw mediaErrors.problem('damaged-media', `${basename(path)} has a video stream without a single packet. Check that it is complete.`);
  return makePacketIndex(found);
}

function readPictures(tools: AvTools, request: PictureRequest): PictureStream {
  let damaged = 0;
  const { path, info, width, height, format, skip, from = null, to = null, signal } = request;
  async function* decode(): AsyncGenerator<Picture> {
    let any = false;
    const answer = askAv(tools, { kind: 'pictures', source: knownSource(tools, path, info), width, height, format, skip, from, to }, {
      path, signal, failing: 'cannot be decoded', code: () => (any ? 'decoder-failed' : 'damaged-media'),
    });
    for await (const { time, number, data } of readRecords(answer)) {
      damaged = number;
      if (data.length === 0) continue;
      any = true;
      yield { time, data };
    }
  }
  return { damaged: () => damaged, [Symbol.asyncIterator]: decode };
}

async function* readSound(tools: AvTools, request: SoundRequest): AsyncGenerator<Int16Array> {
  const { path, info, signal, sampleRate, channels, from = 0, to = Number.POSITIVE_INFINITY } = request;
  if (info.audio === null) return;
  const answer = askAv(tools, { kind: 'sound', source: knownSource(tools, path, info), sampleRate, channels, from, to: Math.min(to, latest(info.duration)) }, {
    path, signal, failing: 'has sound that cannot be decoded', code: () => 'decoder-failed',
  });
  yield* placeSamples(sampleRuns(answer), { sampleRate, channels, from, to });
}

/** A wrong timestamp must not become days of silence; where the container tells no length, an hour is given. */
function latest(duration: number): number {
  return duration > 0 ? duration * 1.5 + 60 : 3600;
}

async function* sampleRuns(answer: AsyncIterable<Uint8Array>): AsyncGenerator<SampleRun> {
  for await (const { time, data } of readRecords(answer)) yield { time, samples: new Int16Array(data.buffer, 0, data.byteLength >> 1) };
}
