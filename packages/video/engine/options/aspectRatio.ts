/** Pattern of an aspect ratio in the options, such as `9:16`. */
export const aspectRatioPattern = '^[1-9]\\d{0,3}:[1-9]\\d{0,3}$';

/** Parses an aspect ratio that matches the pattern: `9:16` gives 0.5625. */
export function aspectOf(ratio: string): number {
  const [width, height] = ratio.split(':').map(Number) as [number, number];
  return width / height;
}
