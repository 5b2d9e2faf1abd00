import type { PacketIndex } from './mediaInfo.ts';

export interface IndexedPacket {
  /** Presentation time, seconds. */
  time: number;
  /** Bytes. */
  size: number;
  key: boolean;
}

/** Orders packets by presentation. Ones before 0 are never shown; of two at the same time the first stays, with the bytes of both. */
export function makePacketIndex(packets: readonly IndexedPacket[]): PacketIndex {
  const shown: IndexedPacket[] = [];
  for (const packet of packets.filter(({ time }) => time > -1e-6).sort((a, b) => a.time - b.time)) {
    const last = shown.at(-1);
    if (last === undefined || packet.time > last.time) shown.push({ ...packet });
    else Object.assign(last, { size: last.size + packet.size, key: last.key || packet.key });
  }
  return {
    times: Float64Array.from(shown, ({ time }) => time),
    sizes: Uint32Array.from(shown, ({ size }) => size),
    keys: Uint8Array.from(shown, ({ key }) => (key ? 1 : 0)),
  };
}
