import { mediaErrors } from '../../mediaErrors.ts';
import { basename } from 'node:path';
import { makePacketIndex, type IndexedPacket } from '../packetIndex.ts';
import { mediaFault } from '../mediaFault.ts';
import type { MediaInfo, PacketIndex } from '../mediaInfo.ts';
import { fileUrl, guards } from './commandLine.ts';
import { startFfmpeg, type FfmpegTools } from './ffmpegChild.ts';

/** Lists the packets of the video stream with ffprobe; about 50,000 packets per second. */
export async function listPackets(tools: FfmpegTools, path: string, info: MediaInfo, signal: AbortSignal): Promise<PacketIndex> {
  const child = startFfmpeg(tools, {
    program: 'ffprobe',
    args: [
      '-hide_banner', '-loglevel', 'fatal', ...guards(info.container, tools.limits), '-select_streams', String(info.video.stream),
      '-show_entries', 'packet=pts,dts,size,flags:stream=time_base,has_b_frames', '-of', 'compact', '-i', fileUrl(path),
    ],
    stdout: 'pipe',
    signal,
  });
  try {
    const found = new ProbedPackets(info);
    for await (const line of linesOf(child.stdout ?? [])) found.read(line);
    await child.done;
    return found.index(path);
  } catch (error) {
    child.stop({ kind: 'cancelled' });
    const failure = await child.done.then(() => error, (reason: unknown) => reason);
    throw mediaFault(failure, { path, signal, failing: 'contains packets that cannot be read', code: 'damaged-media' });
  }
}

/** Splits a stream into lines; takes a third of the time of node:readline. */
async function* linesOf(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Parses lines such as `packet|pts=1024|dts=512|size=93|flags=K_`; the line of the stream comes last. */
class ProbedPackets {
  private readonly packets: { ticks: number; size: number; key: boolean }[] = [];
  private timeBase = { numerator: 1, denominator: 1 };
  private readonly start: number;

  constructor({ start }: MediaInfo) {
    this.start = start;
  }

  read(line: string): void {
    const [kind, ...pairs] = line.split('|');
    const field = (name: string): string | undefined => pairs.find((pair) => pair.startsWith(name))?.slice(name.length);
    if (kind === 'packet') this.addPacket(field('pts='), field('dts='), field('size='), field('flags=') ?? '');
    if (kind === 'stream') {
      const [numerator = '1', denominator = '1'] = (field('time_base=') ?? '').split('/');
      this.timeBase = { numerator: Number(numerator), denominator: Number(denominator) };
    }
  }

  private addPacket(pts: string | undefined, dts: string | undefined, size: string | undefined, flags: string): void {
    // AVI has no presentation times; without B-frames, they equal the decoding times.
    const ticks = Number(pts === undefined || pts === 'N/A' ? dts : pts);
    // The flag D marks a packet hidden by an edit list.
    if (Number.isFinite(ticks) && !flags.includes('D')) this.packets.push({ ticks, size: Number(size) || 0, key: flags.includes('K') });
  }

  index(path: string): PacketIndex {
    const { numerator, denominator } = this.timeBase;
    // The start is subtracted in whole ticks of the stream, as in ffmpeg.
    const start = Math.round((this.start * denominator) / numerator);
    const packets = this.packets.map(({ ticks, size, key }): IndexedPacket => ({ time: ((ticks - start) * numerator) / denominator, size, key }));
    if (packets.length === 0) throw mediaErrors.problem('damaged-media', `${basename(path)} has a video stream without packets. Check that the file is complete.`);
    return makePacketIndex(packets);
  }
}
