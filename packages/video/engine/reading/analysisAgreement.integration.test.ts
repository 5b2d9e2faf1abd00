import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateClip } from '../../sample/generateClip.ts';
import { openFfmpeg } from '../media/ffmpeg/ffmpegBackend.ts';
import { missingFfmpeg } from '../testing/installedFfmpeg.ts';
import type { MediaBackend } from '../media/mediaBackend.ts';
import { openNodeAv } from '../media/nodeAv/nodeAvBackend.ts';
import { never, testLimits } from '../testing/mediaSuite/mediaUnderTest.ts';
import { selectSegments } from '../selection/selectSegments.ts';
import { analyse } from './analyse.ts';
import type { Tier } from '../analysis/analysis.ts';

const missing = await missingFfmpeg();
const options = { limits: testLimits, timers: systemInterfaces.timers };

describe.skipIf(missing !== null)(`the two backends${missing === null ? '' : ` (${missing})`}`, () => {
  let backends: readonly [MediaBackend, MediaBackend];
  let folder: string;
  let clips: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vouch-agreement-'));
    backends = [await openFfmpeg(process.env['FFMPEG_PATH'] ?? 'ffmpeg', options), await openNodeAv(options)];
    const generated = join(folder, 'clip.mp4');
    await generateClip(backends[1], generated, never);
    const data = process.env['VOUCH_TEST_DATA'];
    clips = [generated, ...(data === undefined ? [] : ['chaplin.mp4', 'elephants-dream-480p.mp4'].map((name) => join(data, 'video', name)))];
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each<Tier>(['accurate', 'balanced', 'fast'])('see the same boundaries, and an importance within 0.01, in the %s tier', async (tier) => {
    for (const path of clips) {
      const [ours, theirs] = await Promise.all(backends.map(async (backend) => {
        const analysis = await analyse({ backend, path, info: await backend.probe(path, never), tier, signal: never, progress: () => {} });
        return { analysis, curve: Array.from(selectSegments(analysis, { duration: 10 }).curve.importance) };
      })) as [Measured, Measured];
      const boundaries = ({ analysis }: Measured): unknown => analysis.transitions.map(({ kind, start, end }) => [kind, start, end]);
      expect(boundaries(theirs)).toEqual(boundaries(ours));
      if (path === clips[0]) expect(ours.analysis.shots.length).toBeGreaterThan(1);
      expect(theirs.curve.length).toBe(ours.curve.length);
      expect(Math.max(...ours.curve.map((value, at) => Math.abs(value - theirs.curve[at]!)))).toBeLessThan(0.01);
    }
  });
});

interface Measured {
  analysis: Awaited<ReturnType<typeof analyse>>;
  curve: number[];
}
