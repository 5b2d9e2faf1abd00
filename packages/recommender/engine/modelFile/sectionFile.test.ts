import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSectionFile } from './loadSectionFile.ts';
import { openSectionFile, type SectionArray, writeSectionFile } from './sectionFile.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sections-'));
});
afterAll(() => rm(folder, { recursive: true }));

const expected = { format: 'sample', newestVersion: 3 };
const sections = { numbers: Int32Array.of(1, -2, 3), weights: Float64Array.of(0.5, Number.NaN), text: Buffer.from('añb') };

async function writeSample(name: string, version = 3): Promise<string> {
  const path = join(folder, name);
  await writeSectionFile(path, { format: 'sample', version, facts: { seed: 7 }, sections });
  return path;
}

/** Rewrites the header with a matching checksum, as another program might. */
async function rewriteHeader(path: string, change: (header: string) => string): Promise<void> {
  const bytes = await readFile(path);
  const length = bytes.readUInt32LE(12);
  const header = Buffer.from(change(bytes.toString('utf8', 32, 32 + length)));
  expect(header.length).toBe(length);
  header.copy(bytes, 32);
  bytes.writeUInt32LE(crc32(header), 16);
  await writeFile(path, bytes);
}

const array = fc.oneof(
  fc.int32Array(),
  fc.float32Array(),
  fc.float64Array(),
  fc.uint8Array(),
) as fc.Arbitrary<SectionArray>;

describe('a section file', () => {
  // Section names are defined by the engine, and no section is named '__proto__'.
  test('gives back every array and fact that was written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string().filter((name) => name !== '__proto__'), array), fc.json(), async (arrays, facts) => {
        const path = join(folder, 'property');
        const given = Object.fromEntries(Object.entries(arrays));
        await writeSectionFile(path, { format: 'sample', version: 3, facts: { facts }, sections: given });
        const read = await loadSectionFile(path, expected);
        expect(read.facts).toEqual({ facts });
        expect(Object.keys(read.sections)).toEqual(Object.keys(given));
        for (const [name, content] of Object.entries(given)) expect(read.sections[name]).toEqual(content);
      }),
      { numRuns: 50 },
    );
  });

  test('has the same bytes for the same input, sections at multiples of 64 bytes', async () => {
    const first = await readFile(await writeSample('one'));
    expect(await readFile(await writeSample('two'))).toEqual(first);
    const file = await openSectionFile(join(folder, 'one'), expected);
    for (const { offset } of file.header.sections) expect((file.dataStart + offset) % 64).toBe(0);
    await file.handle.close();
  });

  test('leaves nothing of a longer file that it replaces', async () => {
    const path = await writeSample('shorter');
    const size = (await readFile(path)).length;
    await writeFile(path, Buffer.alloc(10_000, 1));
    await writeSample('shorter');
    expect((await readFile(path)).length).toBe(size);
  });

  test('is refused when a piecewise section has another length than announced', async () => {
    const content = { type: 'int32' as const, length: 4, pieces: () => [new Uint8Array(12)] };
    const written = writeSectionFile(join(folder, 'wrong'), {
      format: 'sample', version: 1, facts: {}, sections: { content },
    });
    await expect(written).rejects.toThrow('section content: 12 bytes instead of 16');
  });
});

describe('reading refuses, with a sentence,', () => {
  test('a file that is not there', async () => {
    await expect(loadSectionFile(join(folder, 'absent'), expected)).rejects.toMatchObject({
      code: 'model-file-unreadable',
      detail: expect.stringContaining('it cannot be opened'),
    });
  });

  test('a foreign file, an empty one and one of another format', async () => {
    await writeFile(join(folder, 'foreign'), 'PAR1, and then something else of some length');
    await writeFile(join(folder, 'empty'), '');
    await expect(loadSectionFile(join(folder, 'foreign'), expected)).rejects.toThrow('another kind of file');
    await expect(loadSectionFile(join(folder, 'empty'), expected)).rejects.toThrow('another kind of file');
    const path = await writeSample('format');
    await expect(loadSectionFile(path, { format: 'other', newestVersion: 9 })).rejects.toThrow('"sample" instead of "other"');
  });

  test('a newer version of the format or of the container', async () => {
    const path = await writeSample('newer', 4);
    await expect(loadSectionFile(path, expected)).rejects.toThrow(
      'The file newer was written by a newer version of Vouch: it has version 4 of the format, and this program reads versions up to 3. Run the version of Vouch that wrote the file');
    const handle = await open(await writeSample('container'), 'r+');
    await handle.write(Uint8Array.of(2), 0, 1, 8);
    await handle.close();
    await expect(loadSectionFile(join(folder, 'container'), expected)).rejects.toThrow('written by a newer version of Vouch: it has version 2');
  });

  test('a file cut off at any byte', async () => {
    const whole = await readFile(await writeSample('whole'));
    const path = join(folder, 'cut');
    for (let length = 0; length < whole.length; length += 1) {
      await writeFile(path, whole.subarray(0, length));
      await expect(loadSectionFile(path, expected), `${length} bytes`).rejects.toMatchObject({ code: 'model-file-unreadable' });
    }
  });

  test('a flipped bit in header or sections', async () => {
    const whole = await readFile(await writeSample('flip'));
    const file = await openSectionFile(join(folder, 'flip'), expected);
    const used = file.header.sections.flatMap(({ offset, length, type }) => {
      const bytes = length * { uint8: 1, int32: 4, float32: 4, float64: 8 }[type];
      return Array.from({ length: bytes }, (_, at) => file.dataStart + offset + at);
    });
    await file.handle.close();
    const header = Array.from({ length: whole.readUInt32LE(12) }, (_, at) => 32 + at);
    const path = join(folder, 'flipped');
    for (const place of [...used, ...header]) {
      const damaged = Buffer.from(whole);
      damaged[place] = (damaged[place] ?? 0) ^ 4;
      await writeFile(path, damaged);
      await expect(loadSectionFile(path, expected), `byte ${place}`).rejects.toThrow('checksum');
    }
  });

  test('a section table that points outside the file, or is impossible, though its checksum matches', async () => {
    const longer = await writeSample('longer');
    await rewriteHeader(longer, (header) => header.replace('"length":4', '"length":9'));
    await expect(loadSectionFile(longer, expected)).rejects.toThrow('its section table asks for');
    const type = await writeSample('type');
    await rewriteHeader(type, (header) => header.replace('"int32"', '"int33"'));
    await expect(loadSectionFile(type, expected)).rejects.toThrow('impossible row for numbers');
    const offset = await writeSample('offset');
    await rewriteHeader(offset, (header) => header.replace('"offset":64', '"offset":63'));
    await expect(loadSectionFile(offset, expected)).rejects.toThrow('impossible row for weights');
  });
});
