import { open, type FileHandle } from 'node:fs/promises';

/** Boxes that contain boxes with a creation time. */
const containers = new Set(['moov', 'trak', 'mdia']);
const timed = new Set(['mvhd', 'tkhd', 'mdhd']);

/** Sets the creation and modification times of an mp4 file to 0 (unknown), so that the same input gives the same bytes. */
export async function clearCreationTimes(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await clearWithin(file, 0, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

async function clearWithin(file: FileHandle, start: number, end: number): Promise<void> {
  const header = Buffer.alloc(16);
  for (let at = start; at + 8 <= end; ) {
    await file.read(header, 0, 16, at);
    const type = header.toString('latin1', 4, 8);
    const short = header.readUInt32BE(0);
    const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short;
    if (size < 8) return;
    if (containers.has(type)) await clearWithin(file, at + 8, at + size);
    // Version 1 of the box has two times of 8 bytes; version 0 has two times of 4 bytes.
    if (timed.has(type)) await file.write(Buffer.alloc(header[8] === 1 ? 16 : 8), 0, undefined, at + 12);
    at += size;
  }
}
