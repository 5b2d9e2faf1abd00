import { seededRandom } from '../../../packages/platform/process/seededRandom.ts';

/** Numbers that break arithmetic on sizes, counts and times. */
const extremes = [0, 1, 7, 8, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

/** Names of boxes, elements and chunks, beside which sizes, counts and times stand. */
const names = [
  'ftyp', 'moov', 'mvhd', 'trak', 'tkhd', 'edts', 'elst', 'mdia', 'mdhd', 'stbl', 'stsd', 'avc1', 'avcC', 'hvcC', 'av1C', 'esds', 'stts', 'ctts', 'stsc', 'stsz', 'stco', 'stss', 'mdat',
  '\x18\x53\x80\x67', '\x15\x49\xa9\x66', '\x16\x54\xae\x6b', '\x1f\x43\xb6\x75', '\x1c\x53\xbb\x6b', '\x44\x89', '\x2a\xd7\xb1', '\x63\xa2', '\xa3', '\xa0', '\xe0', '\xb0', '\xba',
  'RIFF', 'LIST', 'avih', 'strh', 'strf', 'movi', '00dc', '01wb', 'idx1', 'G', '\0\0\x01',
];

interface Chance {
  /** Whole number, 0 ≤ n < limit. */
  below(limit: number): number;
  oneOf<Item>(items: readonly Item[]): Item;
}

type Mutation = (file: Buffer, chance: Chance) => Buffer;

/** A place in the file; half of the time near one of its ends, where headers and indexes are. */
function place(file: Buffer, chance: Chance): number {
  const near = Math.min(file.length, 1500);
  const zone = chance.below(4);
  return zone === 0 ? chance.below(near) : zone === 1 ? file.length - 1 - chance.below(near) : chance.below(file.length);
}

function range(file: Buffer, chance: Chance): { from: number; to: number } {
  const from = place(file, chance);
  const length = chance.oneOf([1, 4, 16, 188, 500, 4000]);
  return { from, to: Math.min(file.length, from + 1 + chance.below(length)) };
}

const mutations: Readonly<Record<string, Mutation>> = {
  flip(file, chance) {
    for (let count = 1 + chance.below(20); count > 0; count -= 1) file[place(file, chance)] = chance.below(256);
    return file;
  },
  bit(file, chance) {
    for (let count = 1 + chance.below(4); count > 0; count -= 1) {
      const at = place(file, chance);
      file[at] = file[at]! ^ (1 << chance.below(8));
    }
    return file;
  },
  field(file, chance) {
    const name = chance.oneOf(names);
    const found = file.indexOf(name, chance.below(2) * place(file, chance), 'latin1');
    return writeNumber(file, found < 0 ? place(file, chance) : found + chance.oneOf([-4, name.length, name.length + 4, name.length + 8, name.length + 12]), chance);
  },
  number: (file, chance) => writeNumber(file, place(file, chance), chance),
  truncate: (file, chance) => file.subarray(0, 1 + place(file, chance)),
  cut(file, chance) {
    const { from, to } = range(file, chance);
    return Buffer.concat([file.subarray(0, from), file.subarray(to)]);
  },
  swap(file, chance) {
    const [a, b] = [range(file, chance), range(file, chance)].toSorted((x, y) => x.from - y.from);
    if (a === undefined || b === undefined || a.to > b.from) return file;
    return Buffer.concat([file.subarray(0, a.from), file.subarray(b.from, b.to), file.subarray(a.to, b.from), file.subarray(a.from, a.to), file.subarray(b.to)]);
  },
  repeat(file, chance) {
    const { from, to } = range(file, chance);
    return Buffer.concat([file.subarray(0, to), ...Array<Buffer>(1 + chance.below(64)).fill(file.subarray(from, to)), file.subarray(to)]);
  },
  insert(file, chance) {
    const at = place(file, chance);
    const noise = Buffer.from(Array.from({ length: 1 + chance.below(600) }, () => chance.below(256)));
    return Buffer.concat([file.subarray(0, at), noise, file.subarray(at)]);
  },
  blank(file, chance) {
    const { from, to } = range(file, chance);
    return file.fill(chance.oneOf([0, 0xff]), from, to);
  },
};

function writeNumber(file: Buffer, at: number, chance: Chance): Buffer {
  const bytes = Buffer.alloc(8);
  const size = chance.oneOf([1, 2, 4, 4, 8]);
  const value = chance.oneOf(extremes);
  if (size === 8) bytes.writeBigUInt64BE(BigInt(value) << BigInt(chance.below(32)));
  else if (chance.below(4) === 0) bytes.writeUInt32LE(value);
  else bytes.writeUInt32BE(value, 4);
  const written = size === 8 ? bytes : bytes.subarray(8 - size);
  if (at >= 0 && at + written.length <= file.length) written.copy(file, at);
  return file;
}

/** One to three changes of a media file; the same for the same seed. @returns the changed copy and the names of the changes */
export function mutateMedia(file: Buffer, seed: number): { bytes: Buffer; how: string } {
  const random = seededRandom(seed * 7919 + 1).uniform;
  const below = (limit: number): number => Math.floor(random() * limit);
  const chance: Chance = { below, oneOf: (items) => items[below(items.length)]! };
  const how = Array.from({ length: 1 + below(3) }, () => chance.oneOf(Object.keys(mutations)));
  let bytes: Buffer = Buffer.from(file);
  for (const name of how) if (bytes.length > 0) bytes = mutations[name]!(bytes, chance);
  return { bytes, how: how.join(', ') };
}
