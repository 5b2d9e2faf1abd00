import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { expect, it, onTestFinished } from 'vitest';
import type { Analysis } from '../analysis/analysis.ts';
import { openNodeAv } from '../media/nodeAv/nodeAvBackend.ts';
import { corrupted } from '../testing/clips/damage.ts';
import { makeFixture } from '../testing/clips/makeFixture.ts';
import { never, testLimits } from '../testing/mediaSuite/mediaUnderTest.ts';
import { analyse } from './analyse.ts';

it('a damaged video is measured and encoded in the same way each time, however many threads decode', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-damaged-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const whole = await makeFixture({ width: 640, height: 360, seconds: 6, bFrames: 0, gop: { frames: 250, fixed: true }, container: 'mkv', sound: null });
  const path = Array.from({ length: 12 }, (_, place) => 0.2 + 0.05 * place).reduce((damaged, from) => corrupted(damaged, from, from + 0.0002), whole);
  const seen: (Pick<Analysis, 'frames' | 'transitions'> & { piece: string })[] = [];
  for (const threads of [1, 4, 4, 4, 4, 4]) {
    const backend = await openNodeAv({ limits: { ...testLimits, threads }, timers: systemInterfaces.timers });
    const { info, frames, transitions, warnings } = await analyse({ backend, path, info: await backend.probe(path, never), tier: 'accurate', signal: never, progress: () => {} });
    expect(warnings.map(({ code }) => code)).toContain('damaged-pictures');
    const output = join(folder, `${seen.length}.mp4`);
    await backend.encodePiece({ path, info, encoding: { codec: 'h264', width: 320, height: 180, rate: { numerator: 25, denominator: 1 } }, from: 1, frames: 75, output, signal: never });
    seen.push({ frames, transitions, piece: createHash('sha256').update(await readFile(output)).digest('hex') });
  }
  for (const one of seen) expect(one).toEqual(seen[0]);
});
