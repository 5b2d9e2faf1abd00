import type { FrameRate } from './mediaBackend.ts';

/** Fewest frames per second of a preview. */
const minFramesPerSecond = 10;

/** A rate multiplied by the smallest whole number that makes at least 10 frames per second of it. */
export function atLeastTen({ numerator, denominator }: FrameRate): FrameRate {
  return reduceRate(numerator * Math.max(1, Math.ceil((minFramesPerSecond * denominator) / numerator)), denominator);
}

/** The rate `numerator` / `denominator` in lowest terms. */
export function reduceRate(numerator: number, denominator: number): FrameRate {
  let [a, b] = [numerator, denominator];
  while (b > 0) [a, b] = [b, a % b];
  return { numerator: numerator / a, denominator: denominator / a };
}
