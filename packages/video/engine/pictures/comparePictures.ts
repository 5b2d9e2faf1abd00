import { halfWidth, histogramBins, lumaPixels, type PictureSketch } from './pictureSketch.ts';

/** A picture whose luma deviates less than this from its mean has no structure to compare, only noise. */
const flatDeviation = 2.5;

/** Mean levels that differ less than this look the same. */
const sameLevel = 12;

/**
 * Normalised cross-correlation of two pictures' luma at 48 × 27 inside their black bars, −1 to 1. It does not see a
 * change of brightness or contrast, so a picture in a flash still resembles its neighbours. Two pictures without
 * structure are alike (1) where their levels are, else strangers (0).
 */
export function correlatePictures(one: PictureSketch, other: PictureSketch): number {
  const left = Math.min(one.left, other.left);
  const top = Math.min(one.top, other.top);
  const right = Math.max(one.right, other.right);
  const bottom = Math.max(one.bottom, other.bottom);
  const pixels = (right - left) * (bottom - top);
  if (right <= left || bottom <= top) return 1;
  const { half: a } = one;
  const { half: b } = other;
  let sumA = 0;
  let sumB = 0;
  let squaresA = 0;
  let squaresB = 0;
  let products = 0;
  for (let y = top; y < bottom; y++) {
    const end = y * halfWidth + right;
    for (let at = y * halfWidth + left; at < end; at++) {
      const valueA = a[at]!;
      const valueB = b[at]!;
      sumA += valueA;
      sumB += valueB;
      squaresA += valueA * valueA;
      squaresB += valueB * valueB;
      products += valueA * valueB;
    }
  }
  const varianceA = squaresA - (sumA * sumA) / pixels;
  const varianceB = squaresB - (sumB * sumB) / pixels;
  const flat = flatDeviation * flatDeviation * pixels;
  if (varianceA < flat || varianceB < flat) {
    const alike = varianceA < flat && varianceB < flat && Math.abs(sumA - sumB) < sameLevel * pixels;
    return alike ? 1 : 0;
  }
  return (products - (sumA * sumB) / pixels) / Math.sqrt(varianceA * varianceB);
}

/**
 * Earth mover's distance between two luma histograms, in levels of grey: how far light had to be moved, wherever in the
 * picture it is. Motion within a scene hardly changes it.
 */
export function histogramDistance(one: PictureSketch, other: PictureSketch): number {
  let carried = 0;
  let sum = 0;
  for (let bin = 0; bin < histogramBins; bin++) {
    carried += one.histogram[bin]! - other.histogram[bin]!;
    sum += carried < 0 ? -carried : carried;
  }
  return (sum * 4) / lumaPixels;
}

/** Mean absolute luma difference, 0–255. */
export function lumaDifference(one: PictureSketch, other: PictureSketch): number {
  const { data: a } = one;
  const { data: b } = other;
  let sum = 0;
  for (let at = 0; at < lumaPixels; at++) {
    const difference = a[at]! - b[at]!;
    sum += difference < 0 ? -difference : difference;
  }
  return sum / lumaPixels;
}
