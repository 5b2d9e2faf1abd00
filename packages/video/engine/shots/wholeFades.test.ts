import { describe, expect, it } from 'vitest';
import type { Analysis } from '../analysis/analysis.ts';
import { faded, testAnalysis } from '../testing/testAnalysis.ts';
import type { Transition } from './shot.ts';
import { shotsBetween } from './detectShots.ts';
import { withWholeFades } from './wholeFades.ts';

const scenes = [{ seconds: 12, look: 1 }, { seconds: 12, look: 2 }, { seconds: 12, look: 3 }];
const gradual = (start: number, end: number, kind: Transition['kind'] = 'fade'): Transition => ({ kind, start, end, confidence: 1 });
const cut = (time: number): Transition => ({ kind: 'cut', start: time, end: time, confidence: 1 });

/** The starts and ends of the transitions after the extension, if `found` was found in pictures of which `share` is seen; seconds. */
function extended(found: readonly Transition[], share: (time: number) => number, colour = 16): number[] {
  const { frames }: Analysis = faded(testAnalysis(scenes), share, colour);
  const { transitions, shots } = withWholeFades({ transitions: found, shots: shotsBetween(found, 0, 36) }, frames);
  expect(shots).toEqual(shotsBetween(transitions, 0, 36));
  return transitions.flatMap(({ start, end }) => [start, end]);
}

/** The growth of a fade is measured over 0.1 s, so its ends are found to within 0.1 s. */
function expectNear(found: readonly number[], wanted: readonly number[]): void {
  expect(found.map((time, index) => (Math.abs(time - wanted[index]!) <= 0.1 ? wanted[index] : time))).toEqual(wanted);
}

/** Pictures that fade out from `from` to `dark`, and in again from `light` to `to`. */
const through = (from: number, dark: number, light: number, to: number) => (time: number): number =>
  Math.max(0, 1 - Math.max(0, time - from) / (dark - from), Math.min(1, (time - light) / (to - light)));

describe('fades of which a part alone was found', () => {
  it.each([['black', 16], ['white', 235]])('are extended to the full pictures on both sides of %s', (_, colour) => {
    expectNear(extended([gradual(11.6, 12.4), cut(24)], (time) => Math.min(1, Math.max(0.1, Math.abs(time - 12) / 2)), colour), [10, 14, 24, 24]);
  });

  it('are extended to black, and gradual transitions in their course are a part of them', () => {
    const into = (time: number): number => Math.min(1, Math.max(0, (time - 0.2) / 2));
    expectNear(extended([gradual(1, 1.5)], into), [0.2, 2.2]);
    expectNear(extended([gradual(0.5, 0.8, 'dissolve'), gradual(1, 1.5)], into), [0.2, 2.2]);
    expectNear(extended([gradual(20.6, 21.4)], through(20, 22, 25, 26)), [20, 22]);
  });

  it('begin before the black from which they fade in', () => {
    expectNear(extended([gradual(20.6, 21.2)], through(18, 20, 20.4, 22)), [18, 22]);
    // A longer black part is a shot of its own.
    expectNear(extended([gradual(21.6, 22.2)], through(16, 18, 21, 23)), [21, 23]);
  });

  it('end at a cut, and leave half a second of each shot', () => {
    const out = through(20, 22, 30, 32);
    expectNear(extended([gradual(20.6, 21.2), cut(21.4)], out), [20, 21.2, 21.4, 21.4]);
    expectNear(extended([cut(19.8), gradual(20.6, 21.2)], out), [19.8, 19.8, 20.6, 22]);
    expectNear(extended([cut(19.4), gradual(20.6, 21.2)], out), [19.4, 19.4, 20, 22]);
  });

  it('are left as they are where the picture stays the same, and so are cuts that are blended', () => {
    expect(extended([gradual(11.6, 12.4)], () => 1)).toEqual([11.6, 12.4]);
    expect(extended([{ ...gradual(20.6, 20.68), blended: true }], through(18, 20, 20.6, 20.68))).toEqual([20.6, 20.68]);
  });
});
