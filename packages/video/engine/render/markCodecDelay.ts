import { open } from 'node:fs/promises';

const segment = 0x18538067;
const tracks = 0x1654ae6b;
const trackEntry = 0xae;
const holders = new Set([segment, tracks, trackEntry]);
const seekPreRoll = 0x56bb;
/** Size of the read header, bytes. The elements before the first cluster take a few hundred bytes. */
const headBytes = 65_536;

/**
 * Corrects a WebM file with Opus sound so that it declares the encoder delay (6.5 ms of samples at the start). Without this
 * value, players start the sound too late, and some reject the file because it contradicts the Opus header. mediabunny writes
 * the correct value, but as SeekPreRoll (0x56BB) instead of CodecDelay (0x56AA), so only the element ID is replaced.
 */
export async function markCodecDelay(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const head = Buffer.alloc(headBytes);
    const { bytesRead } = await file.read(head, 0, headBytes, 0);
    const at = findElement(head.subarray(0, bytesRead), 0, bytesRead);
    if (at !== null) await file.write(Buffer.from([0x56, 0xaa]), 0, 2, at);
  } finally {
    await file.close();
  }
}

/** Index of the SeekPreRoll element; null if there is none, for example in a file without sound. */
function findElement(bytes: Buffer, start: number, end: number): number | null {
  for (let at = start; at < end - 2; ) {
    const idLength = Math.clz32(bytes[at]!) - 23;
    const sizeLength = Math.clz32(bytes[at + idLength] ?? 0) - 23;
    const dataAt = at + idLength + sizeLength;
    if (idLength > 4 || sizeLength > 8 || dataAt > end) return null;
    const id = bytes.readUIntBE(at, idLength);
    if (id === seekPreRoll) return at;
    const size = numberAt(bytes, at + idLength, sizeLength);
    if (holders.has(id)) {
      const found = findElement(bytes, dataAt, Math.min(end, dataAt + size));
      if (found !== null) return found;
    }
    at = dataAt + size;
  }
  return null;
}

/** Value of an EBML number without its length marker; Infinity if all bits are 1, which means an unknown size. */
function numberAt(bytes: Buffer, at: number, length: number): number {
  let value = bytes[at]! & (0xff >> length);
  let unknown = value === 0xff >> length;
  for (let index = 1; index < length; index += 1) {
    value = value * 256 + bytes[at + index]!;
    unknown &&= bytes[at + index] === 0xff;
  }
  return unknown ? Infinity : value;
}
