import type { Measured } from '../pictures/pictureMeter.ts';
import { isFlash } from './rejectFlashes.ts';
import { scoreCuts } from './scoreCuts.ts';

/** Cuts closer than this are merged, seconds: viewers do not perceive such a short shot. */
const minShot = 0.12;

/** A hard cut. */
export interface Cut {
  /** Index of the first picture of the new shot. */
  picture: number;
  /** Log-odds of a cut minus the threshold of the detector. */
  score: number;
}

/**
 * Finds hard cuts and rejects flashes.
 * @param threshold minimum score, log-odds; 0 finds cuts, a negative value also finds places worth decoding completely
 * @returns cuts in ascending order, at least 0.12 s apart
 */
export function findCuts(measured: Measured, threshold = 0): Cut[] {
  const { times } = measured.frames;
  const scores = scoreCuts(measured);
  const found: Cut[] = [];
  for (let picture = 1; picture < scores.length; picture++) {
    const score = scores[picture]!;
    if (score < threshold || isFlash(measured, picture)) continue;
    const last = found.at(-1);
    if (last !== undefined && times[picture]! - times[last.picture]! < minShot) {
      if (score > last.score) found[found.length - 1] = { picture, score };
    } else found.push({ picture, score });
  }
  return found;
}
