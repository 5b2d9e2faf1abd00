/** Larger side of a preview without a requested size, pixels. */
export const defaultLargerSide = 1280;

export interface Size {
  width: number;
  height: number;
}

/**
 * Size of a picture with the aspect ratio of the source and even sides. One requested side sets the scale; with two requested
 * sides, the picture is the largest that fits into both. Without a requested side, the source size is reduced until the larger
 * side is at most `largerSide`.
 */
export function fitSize(source: Size, requested: { width?: number | undefined; height?: number | undefined }, largerSide = defaultLargerSide): Size {
  const scale = requested.width === undefined && requested.height === undefined
    ? Math.min(1, largerSide / Math.max(source.width, source.height))
    : Math.min((requested.width ?? Infinity) / source.width, (requested.height ?? Infinity) / source.height);
  return { width: even(source.width * scale), height: even(source.height * scale) };
}

/** Rounds a side: 4:2:0 pictures need even sides, and encoders need at least 16 pixels. */
export function even(length: number): number {
  return Math.max(16, 2 * Math.round(length / 2));
}
