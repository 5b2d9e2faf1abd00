import type { PacketIndex } from '../media/mediaInfo.ts';
import type { MediaSource } from '../media/mediaSource.ts';
import type { Measured } from '../pictures/pictureMeter.ts';
import { withCertainChanges } from '../shots/certainChanges.ts';
import { detectFromKeys } from '../shots/detectFromKeys.ts';
import { detectShots, type DetectedShots } from '../shots/detectShots.ts';
import { needsExact, refineTransitions } from '../shots/refineTransitions.ts';
import type { Tier } from '../analysis/analysis.ts';
import { withWholeFades } from '../shots/wholeFades.ts';
import { KeptPictures } from './keptPictures.ts';
import { WindowReader } from './windowReader.ts';

/**
 * Finds the shots of a video from the frames that the tier decoded. In the tier `balanced`, a cut lies between two decoded
 * frames. If the decoder skipped frames between the two, or if the cut is uncertain, this part is decoded again with every
 * frame.
 */
export async function findShots(source: MediaSource, tier: Tier, packets: PacketIndex, measured: Measured): Promise<DetectedShots> {
  return withWholeFades(await detect(source, tier, packets, measured), measured.frames);
}

async function detect(source: MediaSource, tier: Tier, packets: PacketIndex, measured: Measured): Promise<DetectedShots> {
  const end = source.info.duration;
  // With every frame, decoding again adds nothing, and packet sizes tell less. Some decoders cannot skip frames, and some videos have key frames alone, so the other tiers may have every frame too.
  if (tier === 'accurate' || measured.frames.times.length >= packets.times.length) return detectShots(measured, end);
  if (tier === 'fast') return detectFromKeys(measured, packets, end);
  const detected = detectShots(withCertainChanges(measured), end);
  const windows = needsExact(detected.places, packets).filter(({ from }) => from < end);
  if (windows.length === 0) return detected;
  return refineTransitions(detected, await new WindowReader(source, packets, new KeptPictures(0)).read(windows), end);
}
