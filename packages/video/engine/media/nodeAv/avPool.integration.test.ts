import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { groupLives } from '@vouch/platform/process/processGroup';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { corrupted, truncated } from '../../testing/clips/damage.ts';
import { makeFixture } from '../../testing/clips/makeFixture.ts';
import type { MediaBackend, MediaLimits } from '../mediaBackend.ts';
import { livingChildren, never, testLimits } from '../../testing/mediaSuite/mediaUnderTest.ts';
import { AvPool, maxIdleMs } from './avPool.ts';
import { openNodeAv } from './nodeAvBackend.ts';

const { timers } = systemInterfaces;
const folder = mkdtempSync(join(tmpdir(), 'vouch-pool-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let path: string;
let longer: string;
let damaged: string;
let cutOff: string;
beforeAll(async () => {
  // The clips are also made in a child process, so they must exist before the test counts processes.
  path = await makeFixture();
  longer = await makeFixture({ seconds: 4 });
  damaged = corrupted(await makeFixture({ container: 'mkv', seconds: 4, gop: { frames: 10, fixed: true }, sound: null }));
  cutOff = truncated(await makeFixture({ indexFirst: false }), 0.5);
});

let others: readonly number[];
beforeEach(() => { others = livingChildren(); });
const ours = (): number[] => livingChildren().filter((pid) => !others.includes(pid));
const open = (limits: Partial<MediaLimits> = {}): Promise<MediaBackend> => openNodeAv({ limits: { ...testLimits, ...limits }, timers });

async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 48_000 && !holds(); round += 1) await timers.sleep(5);
  expect(holds()).toBe(true);
}

async function countDamaged(backend: MediaBackend, path: string): Promise<number> {
  const pictures = backend.pictures({ path, info: await backend.probe(path, never), width: 32, height: 18, format: 'yuv420p', skip: 'none', signal: never });
  for await (const { data } of pictures) expect(data.length).toBe(32 * 18 * 1.5);
  return pictures.damaged();
}

const still = { rgb: new Uint8Array(32 * 18 * 3), width: 32, height: 18, signal: never };
const endlessPiece = {
  from: 0, frames: 1_000_000, encoding: { codec: 'h264', width: 160, height: 90, rate: { numerator: 25, denominator: 1 } } as const,
};

describe.skipIf(process.platform !== 'linux')('a child of the backend from npm', () => {
  it('does one task after the other, each of its own kind and none with what another one left', async () => {
    const backend = await open();
    const first = ours();
    expect(first).toHaveLength(1);
    const info = await backend.probe(path, never);
    for (const round of [1, 2]) {
      expect(await countDamaged(backend, damaged)).toBeGreaterThan(0);
      expect(await countDamaged(backend, path)).toBe(0);
      expect((await backend.packets(path, info, never)).times).toHaveLength(50);
      await backend.encodeStill({ ...still, output: join(folder, `${round}.png`) });
      await backend.encodeClip({ width: 32, height: 18, rate: { numerator: 25, denominator: 1 }, pictures: [1, 2, 3].map(() => new Uint8Array(32 * 18 * 1.5)), sound: null, output: join(folder, `${round}.mp4`), signal: never });
      expect(await countDamaged(backend, join(folder, `${round}.mp4`))).toBe(0);
    }
    expect(ours()).toEqual(first);
  });

  it('is joined by others for tasks at the same time, of which two stay', async () => {
    const backend = await open();
    const infos = await Promise.all([1, 2, 3, 4].map(() => backend.probe(path, never)));
    for (const info of infos) expect(info).toEqual(infos[0]);
    await until(() => ours().length === 2);
  });

  it('gets no further task after one that failed', async () => {
    const backend = await open();
    const [first] = ours();
    await expect(backend.probe(cutOff, never)).rejects.toMatchObject({ code: 'damaged-media' });
    expect(ours()).toEqual([]);
    await backend.probe(path, never);
    expect(ours()).toHaveLength(1);
    expect(ours()).not.toContain(first);
  });

  it('costs its own task where it crashes, and nothing where it waits', async () => {
    const backend = await open();
    const info = await backend.probe(path, never);
    const piece = backend.encodePiece({ path, info, ...endlessPiece, output: join(folder, 'crashed.mp4'), signal: never });
    piece.catch(() => {});
    for (const pid of ours()) process.kill(pid, 'SIGSEGV');
    await expect(piece).rejects.toMatchObject({ code: 'decoder-failed' });
    expect(await backend.probe(path, never)).toEqual(info);
    for (const pid of ours()) process.kill(pid, 'SIGKILL');
    await until(() => ours().length === 0);
    // The pool learns of the end slightly later than the operating system.
    await timers.sleep(100);
    expect(await backend.probe(path, never)).toEqual(info);
  });

  it('ends with a reader that wants no more, an abort, and an input that throws', async () => {
    const backend = await open();
    const info = await backend.probe(longer, never);
    for await (const { time } of backend.pictures({ path: longer, info, width: 320, height: 180, format: 'rgb24', skip: 'none', signal: never })) {
      if (time > 0.1) break;
    }
    expect(ours()).toEqual([]);

    const reason = new Error('nobody wants it any more');
    const controller = new AbortController();
    const piece = backend.encodePiece({ path: longer, info, ...endlessPiece, output: join(folder, 'aborted.mp4'), signal: controller.signal });
    controller.abort(reason);
    await expect(piece).rejects.toBe(reason);
    expect(ours()).toEqual([]);

    const fault = new Error('the painter has gone');
    const clip = backend.encodeClip({
      width: 32, height: 18, rate: { numerator: 25, denominator: 1 }, sound: null, output: join(folder, 'thrown.mp4'), signal: never,
      pictures: (function* () {
        yield new Uint8Array(32 * 18 * 1.5);
        throw fault;
      })(),
    });
    await expect(clip).rejects.toBe(fault);
    expect(ours()).toEqual([]);
  });

  it('has a limit of time for each task, not for its life', async () => {
    const wallMs = 54_321;
    const over: (() => void)[] = [];
    const backend = await openNodeAv({
      limits: { ...testLimits, wallMs },
      timers: {
        sleep: (milliseconds, ...more) =>
          milliseconds === wallMs ? new Promise((resolve) => over.push(resolve)) : timers.sleep(milliseconds, ...more),
      },
    });
    const [first] = ours();
    const info = await backend.probe(path, never);
    over.pop()?.();
    expect(await backend.probe(path, never)).toEqual(info);
    expect(ours()).toEqual([first]);
    const piece = backend.encodePiece({ path, info, ...endlessPiece, output: join(folder, 'late.mp4'), signal: never });
    over.pop()?.();
    await expect(piece).rejects.toMatchObject({ code: 'media-limit', detail: expect.stringContaining('54.321 s') as string });
    expect(ours()).toEqual([]);
  });

  it('is not kept after much work or where it has grown', async () => {
    const pool = new AvPool({ ...testLimits, cpuSeconds: 16, memoryBytes: 8e8 }, timers);
    const ends = [{ cpuSeconds: 2.1, grownBytes: 0 }, { cpuSeconds: 0, grownBytes: 1.1e8 }, { cpuSeconds: 1.9, grownBytes: 0.9e8 }];
    const kept = ends.map((end) => {
      const child = pool.take();
      pool.giveBack(child, end);
      return child.alive;
    });
    expect(kept).toEqual([false, false, true]);
    await until(() => ours().length === 1);
    const waiting = pool.take();
    waiting.stop({ kind: 'cancelled' });
    await waiting.gone();
  });

  it('that has waited long is ended, and another one does the next task', async () => {
    const over: (() => void)[] = [];
    const backend = await openNodeAv({
      limits: testLimits,
      timers: {
        sleep: (milliseconds, signal, holding) =>
          milliseconds === maxIdleMs ? new Promise((resolve) => over.push(resolve)) : timers.sleep(milliseconds, signal, holding),
      },
    });
    await backend.probe(path, never);
    const [first] = ours();
    expect(over).toHaveLength(2);
    // The wait that started before the probe elapses; the wait that started after the probe does not.
    over[0]?.();
    await backend.probe(path, never);
    expect(ours()).toEqual([first]);
    over.at(-1)?.();
    await until(() => ours().length === 0);
    await backend.probe(path, never);
    expect(ours()).toHaveLength(1);
  });

  exhaustiveTest('that waits does not keep the program alive, and ends with it', async () => {
    const program = fileURLToPath(new URL('../../testing/mediaSuite/idleDecoder.ts', import.meta.url));
    const parent = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(parent, 'exit');
    const children = JSON.parse(await text(parent.stdout)) as number[];
    expect(await ended).toEqual([0, null]);
    expect(children.length).toBeGreaterThan(0);
    await until(() => !children.some(groupLives));
  });
});
