import { correlatePictures } from './comparePictures.ts';
import { mixtureAgainstMotion } from './mixtureAgainstMotion.ts';
import { halfPixels, type PictureSketch } from './pictureSketch.ts';

/** A change over a few pictures that are mixtures of the two around them, as where a conversion of the frame rate blends a cut. */
export interface Blend {
  /** Index of the last picture before the blend and of the first picture after it, counted from the first measured picture. */
  from: number;
  to: number;
}

/** Largest distance of the two ends, in pictures and in seconds: longer dissolves are found by `RampFinder`. */
export const longestBlend = 5;
const maxSeconds = 0.25;
/**
 * The ends differ by at least `change` (root mean square, levels of grey) and correlate at most `resemblance`; the mixtures leave at most `rest` of the squared change
 * unexplained, and explain the middle better than motion does (`mixtureAgainstMotion`). In an opening film, an explosion has a motion of −1.1, six blends −1.6 to −4.2.
 */
const limits = { change: 12, resemblance: 0.5, rest: 0.03, motion: -1.5 } as const;
/** Smallest step of the mixing ratio from one picture to the next. */
const leastStep = 0.06;

/** Finds blends. Takes about 5 µs per picture. */
export class BlendFinder {
  private readonly times: number[] = [];
  private readonly found: Blend[] = [];
  private count = 0;

  /**
   * Adds the next picture.
   * @param pictures the picture and the up to `longestBlend` pictures before it, newest first
   */
  add(time: number, pictures: readonly PictureSketch[]): void {
    this.times.unshift(time);
    this.times.length = Math.min(this.times.length, longestBlend + 1);
    for (let length = 2; length < pictures.length && time - this.times[length]! < maxSeconds; length++) {
      if (isBlend(pictures.slice(0, length + 1))) this.found.push({ from: this.count - length, to: this.count });
    }
    this.count++;
  }

  /** Returns all blends, ascending by their end. Some overlap. */
  finish(): Blend[] {
    return this.found;
  }
}

/** @param pictures newest first */
function isBlend(pictures: readonly PictureSketch[]): boolean {
  const last = pictures[0]!;
  const first = pictures.at(-1)!;
  let energy = 0;
  for (let at = 0; at < halfPixels; at++) energy += (last.half[at]! - first.half[at]!) ** 2;
  if (energy < limits.change ** 2 * halfPixels) return false;
  let before = 0;
  for (let place = pictures.length - 2; place > 0; place--) {
    const { share, rest } = mixtureOf(first.half, pictures[place]!.half, last.half, energy);
    if (rest > limits.rest || share < before + leastStep || share > 1 - leastStep) return false;
    before = share;
  }
  if (correlatePictures(first, last) > limits.resemblance) return false;
  const rows = { top: Math.min(first.top, last.top), bottom: Math.max(first.bottom, last.bottom) };
  return mixtureAgainstMotion(first.half, pictures[pictures.length >> 1]!.half, last.half, rows) <= limits.motion;
}

/** Share of `last` in the mixture nearest to `picture`, and the squared error of the mixture as a share of `energy`, the squared change between the ends. */
function mixtureOf(first: Uint8Array, picture: Uint8Array, last: Uint8Array, energy: number): { share: number; rest: number } {
  let along = 0;
  let all = 0;
  for (let at = 0; at < halfPixels; at++) {
    const moved = picture[at]! - first[at]!;
    along += moved * (last[at]! - first[at]!);
    all += moved * moved;
  }
  const share = along / energy;
  return { share, rest: all / energy - share * share };
}
