import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureRss, residentBytes } from './measureRss.ts';

let folder = '';

async function writeProcess(id: number, parent: number, name: string, kilobytes: number): Promise<void> {
  await mkdir(join(folder, String(id)), { recursive: true });
  await writeFile(join(folder, String(id), 'stat'), `${id} (${name}) S ${parent} ${id} 0 0\n`);
  await writeFile(join(folder, String(id), 'status'), `Name:\t${name}\nVmRSS:\t   ${kilobytes} kB\n`);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-rss-'));
  await writeProcess(100, 1, 'node', 1000);
  // A grandchild with a smaller process id than its parent, and a misleading process name.
  await writeProcess(300, 100, 'worker (1) S 7', 200);
  await writeProcess(50, 300, 'postgres', 30);
  await writeProcess(400, 1, 'stranger', 9_000);
  await mkdir(join(folder, 'sys'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('resident memory', () => {
  it('adds up a process and its descendants, and no strangers', async () => {
    expect(await residentBytes(100, folder)).toBe(1230 * 1024);
    expect(await residentBytes(50, folder)).toBe(30 * 1024);
  });

  it('of a process that is gone is an error, not 0', async () => {
    await expect(residentBytes(999, folder)).rejects.toThrow('process 999 is not in');
  });

  it('is sampled while work runs, and reported as peak and beyond idle', async () => {
    const sizes = [1100, 5000, 1200];
    let finish: (value: string) => void = () => undefined;
    const work = new Promise<string>((resolve) => (finish = resolve));
    const report = await measureRss(100, () => work, {
      processFolder: folder,
      sleep: async () => {
        const next = sizes.shift();
        if (next === undefined) {
          finish('done');
          // Lets `measureRss` notice the finished work before the next sample.
          await new Promise(setImmediate);
        } else await writeProcess(100, 1, 'node', next);
      },
    });
    expect(report).toEqual({
      result: 'done', samples: 4, peakBytes: 5230 * 1024, beyondIdleBytes: (5230 - 1230) * 1024,
    });
  });

  it('hands on the failure of the work', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('the work failed'));
    await expect(measureRss(100, fail, { processFolder: folder, sleep: async () => undefined })).rejects.toThrow('the work failed');
  });
});
