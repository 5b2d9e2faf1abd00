import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { basename } from 'node:path';
import type { Child } from '@vouch/platform/process/childProcess';
import { believableEnd } from '../believableEnd.ts';
import { skipOptions } from '../frameSkipping.ts';
import type { Picture, AllStreams, AllStreamsRequest } from '../mediaBackend.ts';
import { mediaErrors } from '../../mediaErrors.ts';
import { mediaFault } from '../mediaFault.ts';
import type { PacketIndex } from '../mediaInfo.ts';
import { halfMillisecond } from '../nearestFrame.ts';
import { makePacketIndex, type IndexedPacket } from '../packetIndex.ts';
import { placeSamples } from '../placeSamples.ts';
import { clean, fileUrl, fromZero, guards, quiet } from './commandLine.ts';
import { countDamage } from './damage.ts';
import { startFfmpeg, type FfmpegTools } from './ffmpegChild.ts';
import { keyFilter } from './keyPackets.ts';
import { parseNut } from './parseNut.ts';
import { pictureOutput } from './pictures.ts';
import { soundOutput, soundRuns } from './sound.ts';

/** Containers that store presentation times. In other containers, ffmpeg and ffprobe report different times of the same packet. */
const plain = new Set(['mp4', 'mov', 'matroska', 'webm']);
/** File descriptors that the child writes to; pictures go to standard output. */
const descriptors = { packets: 4, sound: 5 } as const;

/**
 * Starts one ffmpeg with three outputs: pictures, sound, and a line for each packet of the video. Starting an ffmpeg takes
 * about 90 ms of processor time, as long as decoding the key frames of one minute at 1080p.
 *
 * @returns null if the container or the decoder does not allow this
 */
export function readAllStreams(tools: FfmpegTools, request: AllStreamsRequest): AllStreams | null {
  const { info, signal } = request;
  if (!plain.has(info.container) || keyFilter(request) !== 'decoder') return null;
  const damage = countDamage(info.audio?.stream);
  const child = startFfmpeg(tools, {
    args: allStreamsArguments(tools, request), stdout: 'pipe', outputs: info.audio === null ? 1 : 2, heardStderr: damage.hear, signal,
  });
  const [packets, sound] = child.outputs;
  return {
    packets: () => listCopied(child, packets, request),
    pictures: { damaged: damage.count, [Symbol.asyncIterator]: () => untilDone(child, request, picturesOf(child, request)) },
    sound: info.audio === null ? null : untilDone(child, request, placeSamples(soundRuns(sound ?? []), {
      sampleRate: request.sampleRate, channels: 1, from: 0, to: Number.POSITIVE_INFINITY,
    })),
  };
}

function allStreamsArguments(tools: FfmpegTools, request: AllStreamsRequest): string[] {
  const { limits } = tools;
  const { info, path, skip, sampleRate, threads = limits.threads } = request;
  const speed = Object.entries(skipOptions(info.video.codec, skip)).flatMap(([name, value]) => [`-${name}:v`, value]);
  const video = ['-map', `0:${info.video.stream}`];
  return [
    ...quiet, ...guards(info.container, limits), '-threads:v', String(threads), '-threads:a', '1', ...speed, ...fromZero(info), '-i', fileUrl(path),
    ...video, ...pictureOutput(tools, request),
    ...video, ...clean, '-c', 'copy', '-copyinkf', '-avoid_negative_ts', 'disabled', '-f', 'framecrc', `pipe:${descriptors.packets}`,
    ...(info.audio === null ? [] : soundOutput({ sampleRate, channels: 1 }, info.audio.stream, believableEnd(info.duration), descriptors.sound)),
  ];
}

async function* picturesOf({ stdout }: Child, { to = Number.POSITIVE_INFINITY }: AllStreamsRequest): AsyncGenerator<Picture> {
  let last = Number.NEGATIVE_INFINITY;
  for await (const picture of parseNut(stdout ?? [])) {
    if (picture.time <= last || picture.time < -halfMillisecond || picture.time >= to - halfMillisecond) continue;
    last = picture.time;
    yield picture;
  }
}

/**
 * Yields the items of one output. A reader that stops early ends the child; an error of the child replaces the error of the
 * reader.
 */
async function* untilDone<Item>(child: Child, { path, signal }: AllStreamsRequest, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
    await child.done;
  } catch (error) {
    child.stop({ kind: 'cancelled' });
    const failure = await child.done.then(() => error, (reason: unknown) => reason);
    throw mediaFault(failure, { path, signal, failing: 'cannot be decoded', code: 'damaged-media' });
  } finally {
    child.stop({ kind: 'cancelled' });
    await child.done.catch(() => {});
  }
}

/**
 * Matches a line such as `0,  512,  1024,  512,  68, 0xab33032c, F=0x0`: presentation time in ticks, bytes, and flags unless
 * the packet is a plain key frame.
 */
const packetLine = /^0, *-?\d+, *(-?\d+), *\d+, *(\d+), 0x[0-9a-f]+(?:, F=0x([0-9A-F]+))?/;
const flags = { key: 1, discarded: 4 } as const;

async function listCopied(child: Child, lines: Readable | undefined, request: AllStreamsRequest): Promise<PacketIndex> {
  const { path } = request;
  const found: IndexedPacket[] = [];
  let tick = { numerator: 1, denominator: 1 };
  for await (const line of untilDone(child, request, lines === undefined ? noLines() : createInterface(lines))) {
    const base = /^#tb 0: (\d+)\/(\d+)/.exec(line);
    if (base !== null) tick = { numerator: Number(base[1]), denominator: Number(base[2]) };
    const packet = packetLine.exec(line);
    if (packet === null) continue;
    const flag = packet[3] === undefined ? flags.key : Number.parseInt(packet[3], 16);
    if ((flag & flags.discarded) === 0) found.push({ time: (Number(packet[1]) * tick.numerator) / tick.denominator, size: Number(packet[2]), key: (flag & flags.key) !== 0 });
  }
  if (found.length === 0) throw mediaErrors.problem('damaged-media', `${basename(path)} has a video stream without packets. Check that the file is complete.`);
  return makePacketIndex(found);
}

async function* noLines(): AsyncGenerator<string> {
  // The child could not be started; `done` has the error.
}
