import type { Variant } from './playlist.ts';

/** Largest shorter side of a frame, pixels. More would take longer to fetch and decode and is invisible in a preview of at most 1280 pixels. */
const largestSide = 1080;
/** Largest bandwidth of a variant without a frame size, bits per second. */
const largestBandwidth = 8_000_000;

/**
 * Chooses the variant with the largest frames within 1080 lines, then with the largest bandwidth. If all variants are above this bound, chooses the
 * smallest.
 * @param variants at least one
 */
export function chooseVariant<Offered extends Variant>(variants: readonly Offered[]): Offered {
  const within = variants.filter(isWithin).toSorted((a, b) => bySize(b, a));
  return within[0] ?? variants.toSorted(bySize)[0]!;
}

function isWithin({ bandwidth, width, height }: Variant): boolean {
  return width * height > 0 ? Math.min(width, height) <= largestSide : bandwidth <= largestBandwidth;
}

function bySize(a: Variant, b: Variant): number {
  return a.width * a.height - b.width * b.height || a.bandwidth - b.bandwidth;
}
