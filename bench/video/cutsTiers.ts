import { withCertainChanges } from '../../packages/video/engine/shots/certainChanges.ts';
import { detectFromKeys } from '../../packages/video/engine/shots/detectFromKeys.ts';
import { detectShots, type DetectedShots } from '../../packages/video/engine/shots/detectShots.ts';
import { needsExact, refineTransitions, type ExactWindow } from '../../packages/video/engine/shots/refineTransitions.ts';
import { withWholeFades } from '../../packages/video/engine/shots/wholeFades.ts';
import type { BenchClip } from './cutsMedia.ts';
import type { FoundCuts } from './cutsScore.ts';

/** The tiers as in the product; `balanced` re-examines every uncertain place exactly. */
export const tiers = {
  accurate: async (clip: BenchClip): Promise<DetectedShots> => {
    const measured = await clip.measureWindow({ from: 0, to: Infinity });
    return withWholeFades(detectShots(measured, clip.info.duration), measured.frames);
  },
  balanced: async (clip: BenchClip): Promise<DetectedShots> => {
    const measured = await clip.measure('bidirectional');
    const detected = detectShots(withCertainChanges(measured), clip.info.duration);
    const windows: ExactWindow[] = [];
    for (const window of needsExact(detected.places, await clip.packets())) windows.push({ window, measured: await clip.measureWindow(window) });
    return withWholeFades(refineTransitions(detected, windows, clip.info.duration), measured.frames);
  },
  fast: async (clip: BenchClip): Promise<DetectedShots> =>
    detectFromKeys(await clip.measure('non-key'), await clip.packets(), clip.info.duration),
} as const;

/**
 * Converts times to frame numbers.
 * @param times presentation times of all frames, in seconds
 */
export function inFrames({ transitions }: Pick<DetectedShots, 'transitions'>, times: Float64Array): FoundCuts {
  return {
    hard: transitions.filter(({ kind }) => kind === 'cut').map(({ start }) => frameAt(start, times)),
    gradual: transitions.filter(({ kind }) => kind !== 'cut').map(({ start, end }) => ({ first: frameAt(start, times), last: frameAt(end, times) - 1 })),
  };
}

/** Returns the number of the frame nearest to a time. */
export function frameAt(time: number, times: Float64Array): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low > 0 && (low === times.length || time - times[low - 1]! < times[low]! - time) ? low - 1 : low;
}
