/** A box of an mp4 file, inside a buffer. */
interface Box {
  type: string;
  /** Start of the box, of its content, and its end. */
  at: number;
  content: number;
  end: number;
}

const inside = new Set(['moov', 'trak', 'mdia', 'moof', 'traf']);

/** Lists the boxes of a buffer, outer boxes before the boxes inside them. */
function* boxesOf(bytes: Buffer, from = 0, to = bytes.length): Generator<Box> {
  for (let at = from; at + 8 <= to;) {
    const size = bytes.readUInt32BE(at);
    if (size < 8 || at + size > to) throw new Error(`an mp4 box at ${at} has ${size} bytes`);
    const box = { type: bytes.toString('latin1', at + 4, at + 8), at, content: at + 8, end: at + size };
    yield box;
    if (inside.has(box.type)) yield* boxesOf(bytes, box.content, box.end);
    at += size;
  }
}

/** Units per second of each track, by its number. @param header ftyp and moov */
function timescalesOf(header: Buffer): ReadonlyMap<number, number> {
  const scales = new Map<number, number>();
  let track = 0;
  for (const { type, content } of boxesOf(header)) {
    const long = header[content] === 1;
    if (type === 'tkhd') track = header.readUInt32BE(content + (long ? 20 : 12));
    if (type === 'mdhd') scales.set(track, header.readUInt32BE(content + (long ? 20 : 12)));
  }
  return scales;
}

/** One track's samples in a fragment. */
interface Run {
  track: number;
  tfdt: Box;
  trun: Box;
  traf: Box;
}

function runsOf(moof: Buffer): Run[] {
  const runs: Run[] = [];
  let found: Partial<Run> = {};
  for (const box of boxesOf(moof)) {
    if (box.type === 'traf') found = { traf: box };
    if (box.type === 'tfhd') found.track = moof.readUInt32BE(box.content + 4);
    if (box.type === 'tfdt') found.tfdt = box;
    if (box.type === 'trun') runs.push({ ...found, trun: box } as Run);
  }
  return runs;
}

const present = { dataOffset: 0x1, firstFlags: 0x4, duration: 0x100, size: 0x200, flags: 0x400, offset: 0x800 };

/** Reads where the samples of a run begin, how many bytes each sample has, and whether the last four are its composition offset. */
function layoutOf(moof: Buffer, { content }: Box): { flags: number; samples: number; first: number; bytes: number; hasOffset: boolean } {
  const flags = moof.readUIntBE(content + 1, 3);
  const first = content + 8 + 4 * (Number((flags & present.dataOffset) > 0) + Number((flags & present.firstFlags) > 0));
  const fields = [present.duration, present.size, present.flags, present.offset].filter((field) => (flags & field) > 0).length;
  return { flags, samples: moof.readUInt32BE(content + 4), first, bytes: 4 * fields, hasOffset: (flags & present.offset) > 0 };
}

/**
 * Moves the presentation of all tracks of a fragmented mp4 by the delay of the decoder, so that no sample is presented before it is decoded. The
 * format allows negative composition offsets, but FFmpeg (at least up to version 5) and the players that use FFmpeg then shift the pictures without the
 * sound, by two frames.
 * @param header ftyp and moov
 * @param moofs the headers of the fragments, as mediabunny writes them: one run per track
 * @returns the headers with offsets from 0 on
 */
export function presentLater(header: Buffer, moofs: readonly Buffer[]): Buffer[] {
  const scales = timescalesOf(header);
  let delaySeconds = 0;
  for (const moof of moofs) {
    for (const { track, trun } of runsOf(moof)) {
      const { samples, first, bytes, hasOffset } = layoutOf(moof, trun);
      if (!hasOffset) continue;
      for (let n = 0; n < samples; n += 1) delaySeconds = Math.max(delaySeconds, -moof.readInt32BE(first + (n + 1) * bytes - 4) / scales.get(track)!);
    }
  }
  if (delaySeconds === 0) return [...moofs];
  const reordered = new Set(moofs.flatMap((moof) => runsOf(moof).filter(({ trun }) => layoutOf(moof, trun).hasOffset).map(({ track }) => track)));
  return moofs.map((moof) => moveFragment(moof, (track) => Math.round(delaySeconds * scales.get(track)!), reordered));
}

/** Adds the delay to the composition offsets of a track that has some, and to the decoding time of any other track. */
function moveFragment(moof: Buffer, delayOf: (track: number) => number, reordered: ReadonlySet<number>): Buffer {
  const runs = runsOf(moof);
  const moved = Buffer.from(moof);
  // A run in which every offset is 0 has no field for offsets.
  const grown = runs.filter(({ track, trun }) => reordered.has(track) && !layoutOf(moof, trun).hasOffset);
  const growth = grown.reduce((sum, { trun }) => sum + 4 * layoutOf(moof, trun).samples, 0);
  const parts: Buffer[] = [];
  let copied = 0;
  for (const { track, tfdt, trun, traf } of runs) {
    const { flags, samples, first, bytes, hasOffset } = layoutOf(moof, trun);
    moved.writeInt32BE(moof.readInt32BE(trun.content + 8) + growth, trun.content + 8);
    if (!reordered.has(track)) {
      moved.writeBigUInt64BE(moof.readBigUInt64BE(tfdt.content + 4) + BigInt(delayOf(track)), tfdt.content + 4);
    } else if (hasOffset) {
      for (let at = first + bytes - 4; at < trun.end; at += bytes) moved.writeInt32BE(moof.readInt32BE(at) + delayOf(track), at);
    } else {
      moved.writeUIntBE(flags | present.offset, trun.content + 1, 3);
      for (const { at } of [trun, traf]) moved.writeUInt32BE(moof.readUInt32BE(at) + 4 * samples, at);
      const offset = Buffer.alloc(4);
      offset.writeInt32BE(delayOf(track));
      parts.push(moved.subarray(copied, first));
      for (let n = 0; n < samples; n += 1) parts.push(moved.subarray(first + n * bytes, first + (n + 1) * bytes), offset);
      copied = trun.end;
    }
  }
  moved.writeUInt32BE(moof.length + growth, 0);
  return Buffer.concat([...parts, moved.subarray(copied)]);
}
