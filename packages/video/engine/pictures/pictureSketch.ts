import { analysisHeight, analysisWidth, sharpnessFloor } from './frameTrack.ts';

/** Half of the analysed width and height: luma is averaged down to this size; chroma already has it. */
export const halfWidth = analysisWidth / 2;
export const halfHeight = analysisHeight / 2;
export const halfPixels = halfWidth * halfHeight;
export const lumaPixels = analysisWidth * analysisHeight;
/** Bytes of one analysed picture, yuv420p. */
export const pictureBytes = lumaPixels + 2 * halfPixels;

/** Number of bins of the luma histogram, 4 levels of grey each. */
export const histogramBins = 64;

/** A row or column with no value above this belongs to a black bar. Video black is 16; compression adds some noise. */
const barLevel = 30;

/** Distance from the black bars within which steps are part of the edge of the bars, pixels. */
const barEdge = 2;

/** A picture with its own measurements, without comparison to other pictures. `PictureMeter` reuses the objects. */
export interface PictureSketch {
  data: Uint8Array;
  /** Luma averaged to 48 × 27. */
  half: Uint8Array;
  /** Number of pixels per bin. */
  histogram: Uint16Array;
  brightness: number;
  contrast: number;
  saturation: number;
  detail: number;
  sharpness: number;
  /**
   * The part of the picture inside black bars, in pixels of `half`; empty (right ≤ left or bottom ≤ top) if the picture is
   * black.
   */
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Makes an empty sketch, to fill with `sketchPicture`. */
export function createSketch(): PictureSketch {
  return {
    data: new Uint8Array(pictureBytes),
    half: new Uint8Array(halfPixels),
    histogram: new Uint16Array(histogramBins),
    brightness: 0,
    contrast: 0,
    saturation: 0,
    detail: 0,
    sharpness: 0,
    left: 0,
    top: 0,
    right: halfWidth,
    bottom: halfHeight,
  };
}

/** Measures a picture into `sketch`. `sketch` refers to `data` without a copy. */
export function sketchPicture(sketch: PictureSketch, data: Uint8Array): void {
  sketch.data = data;
  measureLuma(sketch);
  measureChroma(sketch);
  halveLuma(sketch);
  findBars(sketch);
  measureSharpness(sketch);
}

function measureLuma(sketch: PictureSketch): void {
  const { data, histogram } = sketch;
  histogram.fill(0);
  let sum = 0;
  let squares = 0;
  let gradient = 0;
  for (let y = 0, at = 0; y < analysisHeight; y++) {
    // The last row has no row below, so its vertical gradient is 0.
    const below = y < analysisHeight - 1 ? analysisWidth : 0;
    let left = data[at]!;
    for (let x = 0; x < analysisWidth; x++, at++) {
      const value = data[at]!;
      sum += value;
      squares += value * value;
      histogram[value >> 2]!++;
      const across = value - left;
      const down = data[at + below]! - value;
      gradient += (across < 0 ? -across : across) + (down < 0 ? -down : down);
      left = value;
    }
  }
  const mean = sum / lumaPixels;
  sketch.brightness = mean;
  sketch.contrast = Math.sqrt(Math.max(0, squares / lumaPixels - mean * mean));
  sketch.detail = gradient / lumaPixels / 2;
}

function measureChroma(sketch: PictureSketch): void {
  const { data } = sketch;
  let sum = 0;
  for (let at = lumaPixels; at < pictureBytes; at++) {
    const distance = data[at]! - 128;
    sum += distance < 0 ? -distance : distance;
  }
  sketch.saturation = sum / (2 * halfPixels);
}

function halveLuma({ data, half }: PictureSketch): void {
  for (let y = 0, to = 0; y < halfHeight; y++) {
    let from = y * 2 * analysisWidth;
    for (let x = 0; x < halfWidth; x++, to++, from += 2) {
      half[to] = (data[from]! + data[from + 1]! + data[from + analysisWidth]! + data[from + analysisWidth + 1]! + 2) >> 2;
    }
  }
}

function findBars(sketch: PictureSketch): void {
  const { half } = sketch;
  const blackRow = (y: number): boolean => isBlack(half, y * halfWidth, 1, halfWidth);
  const blackColumn = (x: number): boolean => isBlack(half, x, halfWidth, halfHeight);
  let top = 0;
  let bottom = halfHeight;
  let left = 0;
  let right = halfWidth;
  while (top < bottom && blackRow(top)) top++;
  while (bottom > top && blackRow(bottom - 1)) bottom--;
  while (left < right && blackColumn(left)) left++;
  while (right > left && blackColumn(right - 1)) right--;
  sketch.top = top;
  sketch.bottom = bottom;
  sketch.left = left;
  sketch.right = right;
}

/** The steepest step between two neighbouring pixels, divided by the standard deviation: both inside the black bars. */
function measureSharpness(sketch: PictureSketch): void {
  const { data } = sketch;
  const left = sketch.left * 2 + barEdge;
  const right = sketch.right * 2 - barEdge;
  const bottom = sketch.bottom * 2 - barEdge;
  let [sum, squares, count, steepest] = [0, 0, 0, 0];
  for (let y = sketch.top * 2 + barEdge; y < bottom; y++) {
    for (let x = left, at = y * analysisWidth + left; x < right; x++, at++) {
      const value = data[at]!;
      sum += value;
      squares += value * value;
      count++;
      steepest = Math.max(steepest, Math.abs(value - data[at - 1]!), Math.abs(value - data[at - analysisWidth]!));
    }
  }
  const deviation = count === 0 ? 0 : Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
  sketch.sharpness = steepest / (deviation + sharpnessFloor);
}

function isBlack(half: Uint8Array, from: number, step: number, count: number): boolean {
  for (let place = 0, at = from; place < count; place++, at += step) if (half[at]! > barLevel) return false;
  return true;
}
