import type { PacketIndex } from '../media/mediaInfo.ts';
import type { Measured } from '../pictures/pictureMeter.ts';
import { detectFromKeys } from '../shots/detectFromKeys.ts';
import { detectShots, type DetectedShots } from '../shots/detectShots.ts';
import { needsExact, refineTransitions, type ExactWindow, type TimeWindow } from '../shots/refineTransitions.ts';
import type { AnalyseRequest } from './analyse.ts';
import type { Tier } from './analysis.ts';
import { readPictures } from './readPictures.ts';

/** Stretches that are decoded at the same time: most of one is starting a decoder and reaching the key frame before it. */
const readingAtOnce = 3;

/**
 * The shots of a video by what its tier has decoded. In `balanced` a cut is known to lie between two decoded frames; where
 * frames were left out between them, or it is in doubt, that place is decoded once more with every frame.
 */
export async function findShots(request: AnalyseRequest, tier: Tier, packets: PacketIndex, measured: Measured): Promise<DetectedShots> {
  const end = request.info.duration;
  if (tier === 'fast') return detectFromKeys(measured, packets, end);
  const detected = detectShots(measured, end);
  // With every frame there is nothing more to see.
  if (tier === 'accurate') return detected;
  const windows = needsExact(detected.places, packets.times);
  if (windows.length === 0) return detected;
  return refineTransitions(detected, await readWindows(request, windows, end), end);
}

async function readWindows(request: AnalyseRequest, windows: readonly TimeWindow[], end: number): Promise<ExactWindow[]> {
  const exact: ExactWindow[] = [];
  for (let first = 0; first < windows.length; first += readingAtOnce) {
    exact.push(...await Promise.all(windows.slice(first, first + readingAtOnce).map(async (window) => {
      const { measured } = await readPictures(request, { skip: 'none', from: window.from, to: Math.min(window.to, end) });
      return { window, measured };
    })));
  }
  return exact;
}
