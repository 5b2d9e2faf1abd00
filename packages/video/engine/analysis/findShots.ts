import type { PacketIndex } from '../media/mediaInfo.ts';
import type { Measured } from '../pictures/pictureMeter.ts';
import { detectFromKeys } from '../shots/detectFromKeys.ts';
import { detectShots, type DetectedShots } from '../shots/detectShots.ts';
import { needsExact, refineTransitions, type ExactWindow } from '../shots/refineTransitions.ts';
import type { AnalyseRequest } from './analyse.ts';
import type { Tier } from './analysis.ts';
import { readPictures } from './readPictures.ts';

/**
 * The shots of a video by what its tier has decoded. In `balanced` a cut is known to lie between two decoded frames; where
 * frames were left out between them, that place is decoded once more with every frame.
 */
export async function findShots(request: AnalyseRequest, tier: Tier, packets: PacketIndex, measured: Measured): Promise<DetectedShots> {
  const end = request.info.duration;
  if (tier === 'fast') return detectFromKeys(measured, packets, end);
  const detected = detectShots(measured, end);
  const windows: ExactWindow[] = [];
  for (const window of needsExact(detected.places, packets.times)) {
    const exact = await readPictures(request, { skip: 'none', from: window.from, to: Math.min(window.to, end) });
    windows.push({ window, measured: exact.measured });
  }
  return windows.length === 0 ? detected : refineTransitions(detected, windows, end);
}
