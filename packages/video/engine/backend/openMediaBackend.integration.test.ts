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

/** Process ids of the children of this process whose command contains the text. */
async function childrenWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const id of await readdir('/proc')) {
    const [status = '', command = ''] = await Promise.all(['status', 'cmdline'].map((name) => readFile(`/proc/${id}/${name}`, 'utf8').catch(() => '')));
    if (status.includes(`PPid:\t${process.pid}\n`) && command.includes(text)) found.push(Number(id));
  }
  return found;
}

/** Opens a backend, and sends SIGKILL to its first child whose command contains the text. @returns the error */
async function openAndKill(setting: string, text: string): Promise<unknown> {
  // An earlier backend may keep a child that waits.
  const earlier = await childrenWith(text);
  const opening = openMediaBackend(setting, options).catch((reason: unknown) => reason);
  const child = await vi.waitUntil(async () => (await childrenWith(text)).find((id) => !earlier.includes(id)), { timeout: 60_000, interval: 1 });
  process.kill(child, 'SIGKILL');
  return opening;
}

describe.skipIf(process.platform !== 'linux')('a program that somebody ends while it is asked is not a missing one (needs /proc)', () => {
  it('for the libraries from npm', async () => {
    const error = await openAndKill('none', 'nodeAv.child');
    expect(error).not.toBeInstanceOf(NoMediaBackend);
    expect(error).toMatchObject({ message: 'node-av was ended by SIGKILL from outside' });
    expect((await openMediaBackend('none', options)).name).toBe('node-av');
  });

  it('for an ffmpeg', async () => {
    const path = join(folder, 'slow');
    writeFileSync(path, '#!/bin/sh\nexec sleep 61.5\n');
    chmodSync(path, 0o755);
    const error = await openAndKill(path, '61.5');
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
