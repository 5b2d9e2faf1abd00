import type { Measured } from '../pictures/pictureMeter.ts';
import { isFlash } from './rejectFlashes.ts';
import { scoreCuts } from './scoreCuts.ts';

/** Cuts closer than this are merged, seconds: viewers do not perceive such a short shot. */
const minShot = 0.12;

/** A hard cut. */
export interface Cut {
  /** Index of the first picture of the new shot. */
  picture: number;
  /** Indices of the first and the last of the cuts and sides of flashes that are closer than `minShot` to this cut. */
  first: number;
  last: number;
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
  // On both sides of another page, the pictures are still, so it is no flash, although two pages of one template correlate.
  const pages = new Set(measured.changes.pages.filter(({ sudden }) => sudden).map(({ from }) => from));
  const isNear = (before: number | undefined, picture: number): before is number => before !== undefined && times[picture]! - times[before]! < minShot;
  let flash: number | undefined;
  for (let picture = 1; picture < scores.length; picture++) {
    const score = scores[picture]!;
    if (score < threshold) continue;
    const last = found.at(-1);
    if (!pages.has(picture) && isFlash(measured, picture)) {
      if (score < 0) continue;
      flash = picture;
      if (last !== undefined && isNear(last.picture, picture)) last.last = picture;
    } else if (last === undefined || !isNear(last.picture, picture)) {
      found.push({ picture, first: isNear(flash, picture) ? flash : picture, last: picture, score });
    } else if (score > last.score) {
      found[found.length - 1] = { picture, first: last.score < 0 ? picture : last.first, last: picture, score };
    } else if (score >= 0) last.last = picture;
  }
  return found;
}
