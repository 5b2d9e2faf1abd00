import { expect, it } from 'vitest';
import { presentLater } from './presentLater.ts';

const u32 = (...values: number[]): Buffer => Buffer.concat(values.map((value) => { const bytes = Buffer.alloc(4); bytes.writeInt32BE(value); return bytes; }));
const box = (type: string, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([u32(content.length + 8), Buffer.from(type, 'latin1'), content]);
};
const track = (id: number, scale: number): Buffer => box('trak', box('tkhd', u32(0, 0, 0, id)), box('mdia', box('mdhd', u32(0, 0, 0, scale))));
const header = Buffer.concat([box('ftyp'), box('moov', track(1, 100), track(2, 1000))]);
/** A run at 10 units, whose content begins 500 bytes behind the fragment. */
const run = (id: number, flags: number, samples: number, ...fields: number[]): Buffer =>
  box('traf', box('tfhd', u32(0, id)), box('tfdt', u32(0x01000000, 0, 10)), box('trun', u32(0x01000000 + flags, samples, 500), u32(...fields)));

it('pictures get composition offsets from 0 on, also where all of them were 0, and the sound follows', () => {
  // Flags: place of the content 0x1, sizes 0x200, composition offsets 0x800.
  const [first, second] = presentLater(header, [
    box('moof', run(1, 0xa01, 3, 7, 0, 8, 4, 9, -4), run(2, 0x201, 2, 5, 6)),
    box('moof', run(1, 0x201, 2, 7, 8), run(2, 0x201, 1, 5)),
  ]);
  const later = (id: number, flags: number, samples: number, content: number, start: number, ...fields: number[]): Buffer =>
    box('traf', box('tfhd', u32(0, id)), box('tfdt', u32(0x01000000, 0, start)), box('trun', u32(0x01000000 + flags, samples, content), u32(...fields)));
  expect(first).toEqual(box('moof', later(1, 0xa01, 3, 500, 10, 7, 4, 8, 8, 9, 0), later(2, 0x201, 2, 500, 50, 5, 6)));
  // The field for offsets is new, so the content lies eight bytes further behind the start.
  expect(second).toEqual(box('moof', later(1, 0xa01, 2, 508, 10, 7, 4, 8, 4), later(2, 0x201, 1, 508, 50, 5)));
});

it('fragments without reordered pictures stay as they are', () => {
  const moof = box('moof', run(1, 0x201, 2, 7, 8), run(2, 0x201, 1, 5));
  expect(presentLater(header, [moof])).toEqual([moof]);
});
