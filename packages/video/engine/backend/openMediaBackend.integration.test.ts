import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { missingFfmpeg } from '../testing/installedFfmpeg.ts';
import { NoMediaBackend, openMediaBackend } from './openMediaBackend.ts';
import { testLimits } from '../testing/mediaSuite/mediaUnderTest.ts';

const options = { limits: testLimits, timers: systemInterfaces.timers };
const missing = await missingFfmpeg();
const folder = mkdtempSync(join(tmpdir(), 'vouch-programs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program that prints the given text, as an ffmpeg of that version would. */
function program(name: string, says: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho '${says}'\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('the backend is', () => {
  it('the libraries from npm where the setting says none', async () => {
    const backend = await openMediaBackend('none', options);
    expect(backend.name).toBe('node-av');
    expect(backend.version).toMatch(/^\d+\.\d+/);
  });

  it.skipIf(missing !== null)('an installed ffmpeg where there is one', async () => {
    const backend = await openMediaBackend(null, options);
    expect(backend.name).toBe('ffmpeg');
    expect(backend.version).toMatch(/^\d+\.\d+|^N-/);
  });
});

describe('a program that is ended while it is asked is not a missing one', () => {
  it('for the libraries from npm', async () => {
    const { timers } = systemInterfaces;
    // The time limit of the first question is over at once.
    const hurried = { ...options, timers: { ...timers, sleep: (ms: number, ...more: [AbortSignal?, boolean?]) => timers.sleep(ms === 60_000 ? 0 : ms, ...more) } };
    const error: unknown = await openMediaBackend('none', hurried).catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(NoMediaBackend);
    expect(error).toMatchObject({ message: 'node-av did not end within 60 s and was stopped' });
  });

  it.skipIf(process.platform !== 'linux')('for an ffmpeg (needs /proc)', async () => {
    const path = join(folder, 'slow');
    writeFileSync(path, '#!/bin/sh\nexec sleep 61.5\n');
    chmodSync(path, 0o755);
    const opening = openMediaBackend(path, options).catch((reason: unknown) => reason);
    await vi.waitUntil(async () => {
      for (const id of await readdir('/proc')) {
        if ((await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')) === 'sleep\x0061.5\x00') return process.kill(Number(id), 'SIGKILL');
      }
      return false;
    }, { timeout: 19_000, interval: 10 });
    const error = await opening;
    expect(error).not.toBeInstanceOf(NoMediaBackend);
    expect(error).toMatchObject({ message: expect.stringContaining('was ended by SIGKILL from outside') });
  });
});

describe('a setting that leads nowhere is an error that says why, not another backend', () => {
  it.each([
    ['a path without a program', () => join(folder, 'nothing'), 'is not installed or not executable'],
    ['an ffmpeg before 5.1', () => program('old', 'ffmpeg version 4.4.2-0ubuntu0.22.04.1 Copyright (c)'), 'is FFmpeg 4.4.2-0ubuntu0.22.04.1, older than 5.1'],
    ['5.0', () => program('almost', 'ffmpeg version 5.0.3 Copyright (c)'), 'older than 5.1'],
    ['another program', () => program('other', 'hello'), 'did not print a version like ffmpeg'],
    ['an ffmpeg alone', () => program('alone', 'ffmpeg version 7.1 Copyright (c)'), 'ffprobe is not installed or not executable'],
  ])('%s', async (_title, path, sentence) => {
    const whole = path();
    // Neither the folder nor PATH contains an ffprobe.
    vi.stubEnv('PATH', '/nowhere');
    const error: unknown = await openMediaBackend(whole, options).catch((reason: unknown) => reason).finally(() => vi.unstubAllEnvs());
    expect(error).toBeInstanceOf(NoMediaBackend);
    expect(error).toMatchObject({ message: expect.stringContaining(sentence) });
    expect(error).toMatchObject({ message: expect.stringMatching(/^FFMPEG_PATH: /) });
  });
});
