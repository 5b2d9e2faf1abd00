import { AV_NOPTS_VALUE, AV_PKT_FLAG_DISCARD, AV_PKT_FLAG_KEY } from 'node-av/constants';
import { Packet } from 'node-av/lib';
import { openInput } from '../libav/input.ts';
import { openRawOutput } from '../libav/rawOutput.ts';
import { makeHeader } from '../protocol/records.ts';
import type { KnownSource } from '../protocol/task.ts';

/** Runs the task `packets`: writes one header per packet of the video stream to standard output. */
export function writePackets(source: KnownSource): void {
  const input = openInput(source);
  const stream = input.stream(source.info.video.stream);
  input.only(stream.index);
  const output = openRawOutput();
  const packet = new Packet();
  packet.alloc();
  // A truncated or broken packet ends the reading, as in decoding.
  while (input.container.readFrameSync(packet) >= 0) {
    const timestamp = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts;
    if (packet.streamIndex === stream.index && timestamp !== AV_NOPTS_VALUE && !(packet.flags & AV_PKT_FLAG_DISCARD)) {
      output.write(makeHeader(input.seconds(timestamp, stream), packet.size * 2 + (packet.flags & AV_PKT_FLAG_KEY ? 1 : 0), 0));
    }
    packet.unref();
  }
  output.flush();
  packet.free();
  input.close();
}
