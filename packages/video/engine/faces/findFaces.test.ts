import { beforeAll, expect, it } from 'vitest';
import { paintFace } from '../testing/paintFace.ts';
import { paintPicture } from '../testing/paintPictures.ts';
import type { FaceWeights } from './faceNetwork.ts';
import { findFaces, type RgbPicture } from './findFaces.ts';
import { loadFaceWeights } from './loadFaceWeights.ts';

const [width, height] = [320, 180];
let weights: FaceWeights;

beforeAll(async () => {
  const loaded = await loadFaceWeights();
  if (loaded === null) throw new Error('the package @vladmandic/face-api is not installed; run npm ci with optional packages');
  weights = loaded;
});

function plain(colour: readonly number[] = [90, 110, 140]): RgbPicture {
  return { width, height, rgb: Uint8Array.from({ length: width * height * 3 }, (_, at) => colour[at % 3]!) };
}

it('finds faces of several sizes where they are, and tells their places as shares of the picture', () => {
  const picture = plain();
  paintFace(picture, { x: 70, y: 90, height: 100 });
  paintFace(picture, { x: 240, y: 80, height: 75 });
  const faces = findFaces(weights, picture).sort((one, other) => one.left - other.left);
  expect(faces).toHaveLength(2);
  for (const [index, middle] of [70 / width, 240 / width].entries()) {
    const { left, width: across, top, height: down } = faces[index]!;
    expect(Math.abs(left + across / 2 - middle)).toBeLessThan(0.04);
    expect(top).toBeGreaterThan(0.1);
    expect(top + down).toBeLessThan(0.9);
    expect(across).toBeGreaterThan(0.15);
  }
});

it('finds a face in a picture whose sides are not multiples of 32', () => {
  const picture = { width: 250, height: 300, rgb: new Uint8Array(250 * 300 * 3).fill(120) };
  paintFace(picture, { x: 180, y: 220, height: 110 });
  const [face, ...others] = findFaces(weights, picture);
  expect(others).toEqual([]);
  expect(face!.left + face!.width / 2).toBeCloseTo(180 / 250, 1);
  expect(face!.top + face!.height / 2).toBeCloseTo(220 / 300, 1);
});

it('finds no face in flat pictures, texture, and an ellipse of the colour of skin', () => {
  const noise = plain();
  for (let at = 0; at < noise.rgb.length; at++) noise.rgb[at] = (at * 2_654_435_761) >>> 24;
  const textured = plain();
  const luma = paintPicture({ seed: 5 }, 0);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) textured.rgb.fill(luma[(y * 54 / height | 0) * 96 + (x * 96 / width | 0)]!, (y * width + x) * 3, (y * width + x + 1) * 3);
  const ellipse = plain();
  for (let y = 40; y < 140; y++) for (let x = 120; x < 200; x++) if (((x - 160) / 40) ** 2 + ((y - 90) / 50) ** 2 <= 1) ellipse.rgb.set([220, 170, 140], (y * width + x) * 3);
  for (const picture of [plain([0, 0, 0]), plain([255, 255, 255]), noise, textured, ellipse]) expect(findFaces(weights, picture)).toEqual([]);
});
