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

const moved = (id: number, flags: number, samples: number, content: number, start: number, ...fields: number[]): Buffer =>
  box('traf', box('tfhd', u32(0, id)), box('tfdt', u32(0x01000000, 0, start)), box('trun', u32(0x01000000 + flags, samples, content), u32(...fields)));
/** A track with an edit list that hides its first units. */
const hiding = (id: number, scale: number, hidden: number): Buffer =>
  box('trak', box('tkhd', u32(0, 0, 0, id)), box('edts', box('elst', u32(0, 1, 0, hidden, 0x10000))), box('mdia', box('mdhd', u32(0, 0, 0, scale))));

it('pictures get composition offsets from 0 on, also where all of them were 0, and edit lists hide what this adds and what is before the start', () => {
  // Flags: place of the content 0x1, sizes 0x200, composition offsets 0x800. The sound begins 100 ms before the pictures, which begin at 10 of 100 units.
  const { header: changed, moofs: [first, second] } = presentLater(header, [
    box('moof', run(1, 0xa01, 3, 7, 0, 8, 4, 9, -4), moved(2, 0x201, 2, 500, 0, 5, 6)),
    box('moof', run(1, 0x201, 2, 7, 8), run(2, 0x201, 1, 5)),
  ], -0.1);
  expect(first).toEqual(box('moof', moved(1, 0xa01, 3, 500, 0, 7, 4, 8, 8, 9, 0), moved(2, 0x201, 2, 500, 0, 5, 6)));
  // The field for offsets is new, so the content lies eight bytes further behind the start.
  expect(second).toEqual(box('moof', moved(1, 0xa01, 2, 508, 0, 7, 4, 8, 4), moved(2, 0x201, 1, 508, 10, 5)));
  expect(changed).toEqual(Buffer.concat([box('ftyp'), box('moov', hiding(1, 100, 4), hiding(2, 1000, 100))]));
});

it('a track that begins later than the delay keeps its begin', () => {
  const { header: changed, moofs: [moof] } = presentLater(header, [box('moof', moved(1, 0xa01, 2, 500, 0, 7, 4, 8, -4), run(2, 0x201, 1, 5))], 0);
  expect(moof).toEqual(box('moof', moved(1, 0xa01, 2, 500, 0, 7, 8, 8, 0), run(2, 0x201, 1, 5)));
  expect(changed).toEqual(Buffer.concat([box('ftyp'), box('moov', hiding(1, 100, 4), hiding(2, 1000, 0))]));
});

it('fragments without reordered pictures stay as they are', () => {
  const moof = box('moof', moved(1, 0x201, 2, 500, 0, 7, 8), moved(2, 0x201, 1, 500, 0, 5));
  expect(presentLater(header, [moof], 0)).toEqual({ header, moofs: [moof] });
});
