import { halfPixels, halfWidth, histogramBins, lumaPixels, type PictureSketch } from './pictureSketch.ts';

/** A picture with a smaller standard deviation of luma contains only noise and no structure to compare. */
const flatDeviation = 2.5;

/** Two pictures without structure are alike if their mean levels differ by less than `sameLevel` and their mean colours by less than `sameColour`. */
const sameLevel = 12;
const sameColour = 10;

/**
 * Normalised cross-correlation of the luma of two pictures at 48 × 27 pixels inside their black bars, −1 to 1. Changes of
 * brightness and contrast have no effect, so a picture in a flash still resembles its neighbours. If at least one picture has
 * no structure, the result is 1 if neither has structure and their levels and colours are similar, otherwise 0.
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
    const alike = varianceA < flat && varianceB < flat && Math.abs(sumA - sumB) < sameLevel * pixels && colourDistance(one, other) < sameColour;
    return alike ? 1 : 0;
  }
  return (products - (sumA * sumB) / pixels) / Math.sqrt(varianceA * varianceB);
}

/** The larger of the differences between the mean values of both chroma planes, 0–255. */
function colourDistance({ data: a }: PictureSketch, { data: b }: PictureSketch): number {
  const distances = [lumaPixels, lumaPixels + halfPixels].map((from) => {
    let sum = 0;
    for (let at = from; at < from + halfPixels; at++) sum += a[at]! - b[at]!;
    return Math.abs(sum) / halfPixels;
  });
  return Math.max(...distances);
}

/**
 * Earth mover's distance between two luma histograms, in levels of grey: how far brightness would have to be moved, regardless
 * of its position in the picture. Motion within a scene hardly changes the distance.
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
