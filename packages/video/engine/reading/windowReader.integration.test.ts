import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { generateClip } from '../../sample/generateClip.ts';
import type { MediaBackend, Stretch } from '../media/mediaBackend.ts';
import type { MediaInfo, PacketIndex } from '../media/mediaInfo.ts';
import { openNodeAv } from '../media/nodeAv/nodeAvBackend.ts';
import { never, testLimits } from '../testing/mediaSuite/mediaUnderTest.ts';
import { WindowReader } from './windowReader.ts';

describe('windows that are read one after another', () => {
  let folder: string;
  let path: string;
  let backend: MediaBackend;
  let info: MediaInfo;
  let packets: PacketIndex;
  let keys: number[];
  let decoded: Stretch[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vouch-windows-'));
    path = join(folder, 'clip.mp4');
    const opened = await openNodeAv({ limits: testLimits, timers: systemInterfaces.timers });
    await generateClip(opened, path, never);
    info = await opened.probe(path, never);
    packets = await opened.packets(path, info, never);
    keys = Array.from(packets.times).filter((_, at) => packets.keys[at] === 1);
    backend = Object.assign(Object.create(opened) as MediaBackend, {
      pictures: (request: Parameters<MediaBackend['pictures']>[0]) => {
        decoded.push(...request.stretches ?? []);
        return opened.pictures(request);
      },
    });
  });

  beforeEach(() => {
    decoded = [];
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const open = (): WindowReader => new WindowReader({ backend, path, info, signal: never }, packets);
  /** How often the group of pictures that starts at a key frame was decoded. */
  const decodings = (key: number): number => {
    const end = keys[keys.indexOf(key) + 1] ?? Infinity;
    return decoded.filter(({ from, to }) => from < end - 1e-4 && to > key + 1e-4).length;
  };

  it('decode a group of pictures at most twice, and measure the same as windows that are read alone', async () => {
    const lengths = keys.map((key, at) => (keys[at + 1] ?? info.duration) - key);
    const longest = lengths.indexOf(Math.max(...lengths));
    const [from, length] = [keys[longest]!, lengths[longest]!];
    const windows = [0.3, 0.5, 0.7, 0.9].map((share) => ({ from, to: from + share * length })).concat({ from, to: from + length + 0.5 });
    const alone = [];
    for (const window of windows) alone.push(await open().read([window]));
    decoded = [];
    const reader = open();
    for (const [at, window] of windows.entries()) expect(await reader.read([window])).toEqual(alone[at]);
    expect(decodings(from)).toBe(2);
  });

  it('need no decoding where all their pictures are known, also from two earlier windows', async () => {
    const [first, second, third] = [keys[1]!, keys[2]!, keys[3] ?? info.duration];
    const reader = open();
    await reader.read([{ from: first, to: second }]);
    await reader.read([{ from: second, to: third }]);
    decoded = [];
    const both = await reader.read([{ from: first + 0.1, to: third }]);
    expect(decoded).toEqual([]);
    expect(both).toEqual(await open().read([{ from: first + 0.1, to: third }]));
  });

  it('start at their key frame without the group of pictures before', async () => {
    const key = keys[2]!;
    await open().read([{ from: key, to: key + 0.5 }]);
    expect(decoded).toEqual([{ from: key, to: key + 0.5, fromKey: true }]);
  });

  it('are complete also if the decoder misses the key frame', async () => {
    const late: MediaBackend = Object.assign(Object.create(backend) as MediaBackend, {
      pictures: (request: Parameters<MediaBackend['pictures']>[0]) => backend.pictures({
        ...request, stretches: (request.stretches ?? []).map((one) => (one.fromKey === true ? { ...one, from: one.from + 0.2 } : one)),
      }),
    });
    const windows = keys.slice(1, 4).map((key) => ({ from: key, to: key + 0.4 }));
    expect(await new WindowReader({ backend: late, path, info, signal: never }, packets).read(windows)).toEqual(await open().read(windows));
  });
});
