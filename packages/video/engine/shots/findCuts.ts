import type { Measured } from '../pictures/pictureMeter.ts';
import { isFlash } from './rejectFlashes.ts';
import { scoreCuts } from './scoreCuts.ts';

/** Two cuts nearer than this are one, seconds: nobody sees a shot that short. */
const minShot = 0.12;

/** A hard cut. */
export interface Cut {
  /** Number of the first picture of the new shot. */
  picture: number;
  /** Log-odds over the threshold. */
  score: number;
}

/** @param threshold log-odds; 0 for cuts, lower for places worth a closer look */
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
