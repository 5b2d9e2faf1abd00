import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { expect, it } from 'vitest';
import { openNodeAv } from '../media/nodeAv/nodeAvBackend.ts';
import { makeFixture } from '../testing/clips/makeFixture.ts';
import { never, testLimits } from '../testing/mediaSuite/mediaUnderTest.ts';
import { analyse } from './analyse.ts';

it.each([
  ['every frame is a key frame', { gop: { frames: 1, fixed: true } }],
  ['AVI tells no order, so all frames are decoded', { codec: 'mpeg4', container: 'avi', bFrames: 2, gop: { frames: 50, fixed: true } }],
] as const)('fast finds the cuts of accurate where %s', async (_, spec) => {
  const path = await makeFixture({ width: 320, height: 180, seconds: 8, cuts: [2, 4.4], sound: null, ...spec });
  const backend = await openNodeAv({ limits: testLimits, timers: systemInterfaces.timers });
  const cutsIn = async (tier: 'fast' | 'accurate'): Promise<number[]> => {
    const { transitions } = await analyse({ backend, path, info: await backend.probe(path, never), tier, signal: never, progress: () => {} });
    return transitions.map(({ start }) => start);
  };
  const cuts = await cutsIn('accurate');
  expect(cuts).not.toEqual([]);
  expect(await cutsIn('fast')).toEqual(cuts);
});
