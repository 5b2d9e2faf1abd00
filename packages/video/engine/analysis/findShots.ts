import type { PacketIndex } from '../media/mediaInfo.ts';
import { nearestFrame } from '../media/nearestFrame.ts';
import { PictureMeter, type Measured } from '../pictures/pictureMeter.ts';
import { detectFromKeys } from '../shots/detectFromKeys.ts';
import { detectShots, type DetectedShots } from '../shots/detectShots.ts';
import { needsExact, refineTransitions, type ExactWindow, type TimeWindow } from '../shots/refineTransitions.ts';
import type { AnalyseRequest } from './analyse.ts';
import type { Tier } from './analysis.ts';
import { analysisShape } from './readPictures.ts';

/**
 * The shots of a video by what its tier has decoded. In `balanced` a cut is known to lie between two decoded frames; where
 * frames were left out between them, or it is in doubt, that place is decoded once more with every frame.
 */
export async function findShots(request: AnalyseRequest, tier: Tier, packets: PacketIndex, measured: Measured): Promise<DetectedShots> {
  const end = request.info.duration;
  if (tier === 'fast') return detectFromKeys(measured, packets, end);
  const detected = detectShots(measured, end);
  // With every frame there is nothing more to see; some decoders leave out none.
  if (tier === 'accurate' || measured.frames.times.length >= packets.times.length) return detected;
  const windows = needsExact(detected.places, packets).filter(({ from }) => from < end);
  if (windows.length === 0) return detected;
  return refineTransitions(detected, await readWindows(request, windows, packets.times), end);
}

async function readWindows({ backend, path, info, signal }: AnalyseRequest, windows: readonly TimeWindow[], frameTimes: Float64Array): Promise<ExactWindow[]> {
  const meters = windows.map(() => new PictureMeter());
  const stretches = windows.map(({ from, to }) => ({ from, to: Math.min(to, info.duration) }));
  let window = 0;
  for await (const { time, data } of backend.pictures({ path, info, ...analysisShape, skip: 'none', stretches, signal })) {
    while (window + 1 < windows.length && time >= windows[window]!.to) window += 1;
    meters[window]!.add({ time: nearestFrame(frameTimes, time), data });
  }
  return windows.map((_, at) => ({ window: windows[at]!, measured: meters[at]!.finish() }));
}
