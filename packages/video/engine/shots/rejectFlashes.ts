import { resemblanceLags } from '../pictures/changeTrack.ts';
import type { Measured } from '../pictures/pictureMeter.ts';

/**
 * Minimum correlation of the pictures before and after a flash. Additionally, one of two conditions must hold:
 * `muchLessStrange` or `usual`.
 */
const resembles = 0.6;
/** The strangeness (1 − correlation) across the flash is at most this share of the strangeness of the flash itself. */
const muchLessStrange = 0.35;
/**
 * The strangeness across the flash is at most `factor` times the usual strangeness of pictures at this distance, plus
 * `margin`. `reach` is the number of pictures on each side that determine the usual strangeness.
 */
const usual = { factor: 1.5, margin: 0.02, reach: 12 } as const;

/**
 * Thresholds for a flash of light: the brightness jumps by at least `levels` (levels of grey) and returns except for at most
 * the share `returns` of the jump, and the scene is the same. The scene is the same if the correlation is at least `resembles`
 * or, with a shaking camera, if the strangeness is at most `usual` times the usual strangeness plus `usual.margin`. In fast
 * motion every picture is that strange, so the pictures must also correlate or be less strange (factor `less`) than the flash.
 */
const jump = { levels: 6, returns: 0.35, resembles: 0.8, usual: 1.2, less: 0.9 } as const;

/**
 * Whether the change right before picture `place` starts or ends a flash or another disturbance of at most four pictures: the
 * pictures before and after the disturbance resemble each other.
 */
export function isFlash(measured: Measured, place: number): boolean {
  const { resemblance } = measured.changes;
  const count = measured.frames.times.length;
  const strangeness = 1 - Math.max(0, resemblance[0]![place]!);
  for (let length = 1; length < resemblanceLags; length++) {
    const across = resemblance[length]!;
    // A flash starts here if the picture `length` later resembles the previous picture. A flash ends here if the picture at
    // `place` resembles the one `length` pictures before the previous picture.
    const begins = place + length < count ? across[place + length]! : 0;
    const ends = place - 1 - length >= 0 ? across[place]! : 0;
    const best = Math.max(begins, ends);
    const common = usualStrangeness(across, place, length);
    if (lightReturns(measured.frames.brightness, place, length)) {
      const differs = best < resembles && 1 - best > jump.less * strangeness;
      if (best >= jump.resembles || (!differs && 1 - best <= jump.usual * common + usual.margin)) return true;
    }
    if (best < resembles) continue;
    if (1 - best <= Math.max(muchLessStrange * strangeness, usual.factor * common + usual.margin)) return true;
  }
  return false;
}

/**
 * Whether the brightness jumps at `place` and returns after `length` pictures, or jumped `length` pictures earlier and
 * returns.
 */
function lightReturns(brightness: Float32Array, place: number, length: number): boolean {
  const step = Math.abs(brightness[place]! - brightness[place - 1]!);
  if (step < jump.levels) return false;
  const returned = (before: number, after: number): boolean =>
    before >= 0 && after < brightness.length && Math.abs(brightness[after]! - brightness[before]!) <= jump.returns * step;
  return returned(place - 1, place + length) || returned(place - 1 - length, place);
}

/**
 * Usual strangeness of pictures at this distance: the median of 1 − correlation before and after `place`, whichever is larger.
 * Pairs that span `place` are excluded.
 */
function usualStrangeness(across: Float32Array, place: number, length: number): number {
  const before = across.slice(Math.max(length + 1, place - 1 - length - usual.reach), Math.max(length + 1, place - 1 - length));
  const after = across.slice(place + 2 + 2 * length, place + 2 + 2 * length + usual.reach);
  return Math.max(0, ...[before, after].filter(({ length: count }) => count > 0).map((side) => 1 - side.sort()[side.length >> 1]!));
}
