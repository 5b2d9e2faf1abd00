import { resemblanceLags } from '../pictures/changeTrack.ts';
import type { Measured } from '../pictures/pictureMeter.ts';

/** The picture after a flash resembles the one before it at least so much … */
const resembles = 0.6;
/** … and is at most this much of a stranger to it as the flash is … */
const muchLessStrange = 0.35;
/** … or no more than pictures so far apart usually are here: this factor and this much. */
const usual = { factor: 1.5, margin: 0.02, reach: 12 } as const;

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
    if (best < resembles) continue;
    const allowed = Math.max(muchLessStrange * strangeness, usual.factor * usualStrangeness(across, place, length) + usual.margin);
    if (1 - best <= allowed) return true;
  }
  return false;
}

/** Median of 1 − correlation over the same distance around a place, without the pairs that span it. */
function usualStrangeness(across: Float32Array, place: number, length: number): number {
  const values: number[] = [];
  for (let step = 1; step <= usual.reach; step++) {
    const before = place - 1 - length - step;
    const after = place + 1 + 2 * length + step;
    if (before > length) values.push(1 - across[before]!);
    if (after < across.length) values.push(1 - across[after]!);
  }
  if (values.length === 0) return 0;
  return values.sort((one, other) => one - other)[values.length >> 1]!;
}
