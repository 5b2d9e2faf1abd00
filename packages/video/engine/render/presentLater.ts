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

/** How a track is moved, in its units. */
interface Move {
  /** Added to the composition offsets, so that none is negative; null if the track has none. */
  delay: number | null;
  /** Taken from the decoding times, so that they begin at 0. */
  earlier: number;
  /** Media time at which the presentation begins: for the edit list. */
  hidden: number;
}

/**
 * Gives a fragmented mp4 composition offsets and decoding times from 0 on, and an edit list in each track that removes what this adds, so that pictures and
 * sound are presented from 0 on. The format allows negative composition offsets, but FFmpeg (at least up to version 5) and the players that use FFmpeg then
 * shift the pictures without the sound, by two frames. Without an edit list, Media Source Extensions show a gap of these frames at the start. Browsers,
 * AVFoundation, ExoPlayer and FFmpeg apply an edit list of one entry in a fragmented file.
 * @param header ftyp and moov, without edit lists
 * @param moofs the headers of the fragments, as mediabunny writes them: one run per track
 * @param start time in the preview of the first sample of all, seconds; negative if the encoder of the sound needs samples before its start
 * @returns the header and the headers of the fragments, changed
 */
export function presentLater(header: Buffer, moofs: readonly Buffer[], start: number): { header: Buffer; moofs: Buffer[] } {
  const moves = new Map([...timescalesOf(header)].map(([track, scale]) => [track, moveOf(moofs, track, Math.round(Math.min(0, start) * scale))]));
  if ([...moves.values()].every(({ hidden, earlier }) => hidden === 0 && earlier === 0)) return { header, moofs: [...moofs] };
  return { header: addEditLists(header, moves), moofs: moofs.map((moof) => moveFragment(moof, moves)) };
}

/** @param start time of the presentation at the decoding time 0, in units of the track */
function moveOf(moofs: readonly Buffer[], track: number, start: number): Move {
  let [delay, first] = [null as number | null, null as number | null];
  for (const moof of moofs) {
    for (const { tfdt, trun } of runsOf(moof).filter((run) => run.track === track)) {
      first ??= Number(moof.readBigUInt64BE(tfdt.content + 4));
      const layout = layoutOf(moof, trun);
      if (!layout.hasOffset) continue;
      for (let n = 0; n < layout.samples; n += 1) delay = Math.max(delay ?? 0, -moof.readInt32BE(layout.first + (n + 1) * layout.bytes - 4));
    }
  }
  const [shown, later] = [(first ?? 0) + start, delay ?? 0];
  // A track that begins later than its delay keeps the rest as its first decoding time.
  const begin = Math.max(0, shown - later);
  return { delay, earlier: (first ?? 0) - begin, hidden: later + begin - shown };
}

/** Adds an edit list behind the header of each track. A duration of 0 means: to the end of the fragments. */
function addEditLists(header: Buffer, moves: ReadonlyMap<number, Move>): Buffer {
  const parts: Buffer[] = [];
  const grown = Buffer.from(header);
  let [copied, moov, trak] = [0, null as Box | null, null as Box | null];
  for (const box of boxesOf(header)) {
    if (box.type === 'moov') moov = box;
    if (box.type === 'trak') trak = box;
    if (box.type !== 'tkhd') continue;
    const { hidden } = moves.get(header.readUInt32BE(box.content + (header[box.content] === 1 ? 20 : 12)))!;
    const list = Buffer.alloc(36);
    list.writeUInt32BE(36, 0);
    list.write('edts', 4, 'latin1');
    list.writeUInt32BE(28, 8);
    list.write('elst', 12, 'latin1');
    list.writeUInt32BE(1, 20);
    list.writeInt32BE(hidden, 28);
    list.writeUInt32BE(0x10000, 32);
    for (const { at } of [moov!, trak!]) grown.writeUInt32BE(grown.readUInt32BE(at) + list.length, at);
    parts.push(grown.subarray(copied, box.end), list);
    copied = box.end;
  }
  return Buffer.concat([...parts, grown.subarray(copied)]);
}

/** Adds the delay to the composition offsets of a track that has some, and takes the begin from the decoding times. */
function moveFragment(moof: Buffer, moves: ReadonlyMap<number, Move>): Buffer {
  const runs = runsOf(moof);
  const moved = Buffer.from(moof);
  // A run in which every offset is 0 has no field for offsets.
  const grown = runs.filter(({ track, trun }) => moves.get(track)!.delay !== null && !layoutOf(moof, trun).hasOffset);
  const growth = grown.reduce((sum, { trun }) => sum + 4 * layoutOf(moof, trun).samples, 0);
  const parts: Buffer[] = [];
  let copied = 0;
  for (const { track, tfdt, trun, traf } of runs) {
    const { flags, samples, first, bytes, hasOffset } = layoutOf(moof, trun);
    const { delay, earlier } = moves.get(track)!;
    moved.writeInt32BE(moof.readInt32BE(trun.content + 8) + growth, trun.content + 8);
    moved.writeBigUInt64BE(moof.readBigUInt64BE(tfdt.content + 4) - BigInt(earlier), tfdt.content + 4);
    if (delay === null) continue;
    if (hasOffset) {
      for (let at = first + bytes - 4; at < trun.end; at += bytes) moved.writeInt32BE(moof.readInt32BE(at) + delay, at);
    } else {
      moved.writeUIntBE(flags | present.offset, trun.content + 1, 3);
      for (const { at } of [trun, traf]) moved.writeUInt32BE(moof.readUInt32BE(at) + 4 * samples, at);
      const offset = Buffer.alloc(4);
      offset.writeInt32BE(delay);
      parts.push(moved.subarray(copied, first));
      for (let n = 0; n < samples; n += 1) parts.push(moved.subarray(first + n * bytes, first + (n + 1) * bytes), offset);
      copied = trun.end;
    }
  }
  moved.writeUInt32BE(moof.length + growth, 0);
  return Buffer.concat([...parts, moved.subarray(copied)]);
}
