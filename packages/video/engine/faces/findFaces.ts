import { runFaceNetwork, type FaceWeights, type Layer } from './faceNetwork.ts';

/** A face in a picture. */
export interface Face {
  /** Shares of the width and height of the picture. */
  left: number;
  top: number;
  width: number;
  height: number;
  /** How sure the network is, 0–1. */
  score: number;
}

export interface RgbPicture {
  width: number;
  height: number;
  /** Packed RGB, 3 bytes per pixel. */
  rgb: Uint8Array;
}

/** Least score of a face. In 31 pictures of films without a visible face, the network reports none above it. */
const leastScore = 0.5;
/** Of two faces that share more than this much of their common area, the surer one remains. */
const mostOverlap = 0.4;
/** Pixels of a cell of the network's result. */
const cell = 32;
/** Typical widths and heights of faces, in cells: the network states sizes relative to them. */
const typical = [[1.603231, 2.094468], [6.041143, 7.080126], [2.882459, 3.518061], [4.266906, 5.178857], [9.041765, 10.66308]] as const;
/** Values of a face in the result: offsets, logarithms of sizes, score. */
const valuesPerFace = 5;
/** Mean colours of the pictures with which the network was trained. */
const means = [117.001, 114.697, 97.404] as const;

/** Finds faces that are seen from the front or half from the side, mostly from a sixth of the picture's width on, surest first. */
export function findFaces(weights: FaceWeights, picture: RgbPicture): Face[] {
  const input = prepare(picture);
  const cells = runFaceNetwork(weights, input);
  const [across, down] = [input.width / picture.width, input.height / picture.height];
  const faces: Face[] = [];
  for (let row = 0; row < cells.height; row++) {
    for (let column = 0; column < cells.width; column++) {
      for (const [index, [typicalWidth, typicalHeight]] of typical.entries()) {
        const [x, y, w, h, certainty] = cells.data.subarray((row * cells.width + column) * cells.depth + index * valuesPerFace) as unknown as [number, number, number, number, number];
        const score = logistic(certainty);
        if (!(score >= leastScore)) continue;
        const width = (across * typicalWidth * Math.exp(w)) / cells.width;
        const height = (down * typicalHeight * Math.exp(h)) / cells.height;
        faces.push({ left: (across * (column + logistic(x))) / cells.width - width / 2, top: (down * (row + logistic(y))) / cells.height - height / 2, width, height, score });
      }
    }
  }
  return keepSurest(faces.sort((one, other) => other.score - one.score));
}

/** Fills the picture up to whole cells with the mean colour, at the right and at the bottom. */
function prepare({ width, height, rgb }: RgbPicture): Layer {
  const [across, down] = [width, height].map((pixels) => Math.ceil(pixels / cell) * cell) as [number, number];
  const data = new Float64Array(across * down * 3);
  for (let y = 0; y < height; y++) {
    for (let at = 0; at < width * 3; at++) data[y * across * 3 + at] = (rgb[y * width * 3 + at]! - means[at % 3]!) / 255;
  }
  return { width: across, height: down, depth: 3, data };
}

function keepSurest(faces: readonly Face[]): Face[] {
  const kept: Face[] = [];
  for (const face of faces) if (kept.every((other) => overlap(other, face) <= mostOverlap)) kept.push(face);
  return kept;
}

/** Share of the common area that both faces cover. */
function overlap(one: Face, other: Face): number {
  const width = Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
  const height = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (one.width * one.height + other.width * other.height - width * height);
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
