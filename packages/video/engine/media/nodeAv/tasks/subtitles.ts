import { AV_NOPTS_VALUE } from 'node-av/constants';
import { Packet } from 'node-av/lib';
import { maxSubtitleBytes } from '../../subtitlePackets.ts';
import { openInput } from '../libav/input.ts';
import { openRawOutput } from '../libav/rawOutput.ts';
import { makeHeader } from '../protocol/records.ts';
import type { KnownSource } from '../protocol/task.ts';

/** Runs the task `subtitles`: writes the packets of a subtitle stream to standard output, each with its length in milliseconds. */
export function writeSubtitles(source: KnownSource, index: number): void {
  const input = openInput(source);
  const stream = input.stream(index);
  input.only(index);
  const output = openRawOutput();
  const packet = new Packet();
  packet.alloc();
  let bytes = 0;
  while (bytes < maxSubtitleBytes && input.container.readFrameSync(packet) >= 0) {
    const { pts, duration, data } = packet;
    if (packet.streamIndex === index && pts !== AV_NOPTS_VALUE && data !== null && data.length > 0) {
      const { num, den } = stream.timeBase;
      const milliseconds = Math.min(0xffff_ffff, Math.max(0, Math.round((Number(duration) * num * 1000) / den)));
      output.write(makeHeader(input.seconds(pts, stream), milliseconds, data.length));
      // A copy, because the packet is used again before the output is flushed.
      output.write(Buffer.from(data));
      bytes += data.length;
    }
    packet.unref();
  }
  output.flush();
  packet.free();
  input.close();
}
