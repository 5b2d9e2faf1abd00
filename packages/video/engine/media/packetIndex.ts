import type { PacketIndex } from './mediaInfo.ts';

export interface IndexedPacket {
  /** Presentation time, seconds. */
  time: number;
  /** Size, bytes. */
  size: number;
  key: boolean;
}

/**
 * Sorts packets by presentation time. Packets before 0 are never shown and are dropped. Packets with the same time are merged:
 * sizes are added.
 */
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
