import { resemblanceLags } from '../pictures/changeTrack.ts';
import type { Measured } from '../pictures/pictureMeter.ts';

/** The picture after a flash resembles the one before it at least so much … */
const resembles = 0.6;
/** … and is at most this much of a stranger to it as the flash is … */
const muchLessStrange = 0.35;
/** … or no more than pictures so far apart usually are here: this factor and this much. */
const usual = { factor: 1.5, margin: 0.02, reach: 12 } as const;

/**
 * Or the light jumps by this many levels of grey, returns but for this share of the jump, and the scene is the same: the
 * pictures correlate so much, or, where the camera shakes, as much as usual.
 */
const jump = { levels: 6, returns: 0.35, resembles: 0.8, usual: 1.2 } as const;

/**
 * Whether the change right before a picture begins or ends a flash, or anything else that is over within four pictures:
 * the pictures on both sides of it resemble each other.
 */
export function isFlash(measured: Measured, place: number): boolean {
  const { resemblance } = measured.changes;
  const count = measured.frames.times.length;
  const strangeness = 1 - Math.max(0, resemblance[0]![place]!);
  for (let length = 1; length < resemblanceLags; length++) {
    const across = resemblance[length]!;
    // Begins here: the picture `length` later resembles the one before. Ends here: likewise backwards.
    const begins = place + length < count ? across[place + length]! : 0;
    const ends = place - 1 - length >= 0 ? across[place]! : 0;
    const best = Math.max(begins, ends);
    const common = usualStrangeness(across, place, length);
    if (lightReturns(measured.frames.brightness, place, length)) {
      if (best >= jump.resembles || 1 - best <= jump.usual * common + usual.margin) return true;
    }
    if (best < resembles) continue;
    if (1 - best <= Math.max(muchLessStrange * strangeness, usual.factor * common + usual.margin)) return true;
  }
  return false;
}

/** Whether the light jumps here and returns after `length` pictures, or jumped that long ago and returns here. */
function lightReturns(brightness: Float32Array, place: number, length: number): boolean {
  const step = Math.abs(brightness[place]! - brightness[place - 1]!);
  if (step < jump.levels) return false;
  const returned = (before: number, after: number): boolean =>
    before >= 0 && after < brightness.length && Math.abs(brightness[after]! - brightness[before]!) <= jump.returns * step;
  return returned(place - 1, place + length) || returned(place - 1 - length, place);
}

/** Median of 1 − correlation over the same distance before or after a place, the larger, without the pairs that span it. */
function usualStrangeness(across: Float32Array, place: number, length: number): number {
  const before = across.slice(Math.max(length + 1, place - 1 - length - usual.reach), Math.max(length + 1, place - 1 - length));
  const after = across.slice(place + 2 + 2 * length, place + 2 + 2 * length + usual.reach);
  return Math.max(0, ...[before, after].filter(({ length: count }) => count > 0).map((side) => 1 - side.sort()[side.length >> 1]!));
}
