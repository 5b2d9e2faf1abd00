import type { SeededRandom } from '../../packages/platform/process/seededRandom.ts';

/** Size of composed clips in pixels. The size is small so that encoding and decoding many clips takes only minutes. */
export const clipWidth = 256;
export const clipHeight = 144;
export const clipBytes = (clipWidth * clipHeight * 3) / 2;

interface Disc {
  x: number;
  y: number;
  stepX: number;
  stepY: number;
  radius: number;
  colour: Colour;
}

type Colour = readonly [luma: number, u: number, v: number];

/** A synthetic scene: a textured background under a moving camera, moving discs, grain, and sometimes black bars. */
export interface SyntheticScene {
  lattice: Float32Array;
  scale: number;
  panX: number;
  panY: number;
  zoom: number;
  dark: Colour;
  light: Colour;
  discs: readonly Disc[];
  grain: number;
  /** Standard deviation of the camera shake, in pixels. */
  shake: number;
  flicker: number;
  bars: number;
}

const latticeSize = 64;
const lumaBytes = clipWidth * clipHeight;

export function drawScene(random: SeededRandom): SyntheticScene {
  const colour = (low: number, high: number): Colour => [
    low + random.below(high - low), 96 + random.below(64), 96 + random.below(64),
  ];
  const kind = random.uniform();
  if (kind < 0.08) return drawTitle(random);
  const dim = kind < 0.3;
  const base = dim ? 16 + random.below(14) : 24 + random.below(90);
  const top = dim ? base + 12 + random.below(40) : 230;
  const speed = random.uniform() < 0.4 ? 0 : random.uniform() * 5;
  const direction = random.uniform() * 2 * Math.PI;
  const discs = Array.from({ length: random.below(6) }, () => ({
    x: random.uniform() * clipWidth,
    y: random.uniform() * clipHeight,
    stepX: random.normal() * 2.5,
    stepY: random.normal() * 1.5,
    radius: 8 + random.below(40),
    colour: colour(20, top),
  }));
  return {
    lattice: Float32Array.from({ length: latticeSize * latticeSize }, () => random.uniform()),
    scale: 6 + random.uniform() * 40,
    panX: speed * Math.cos(direction),
    panY: speed * Math.sin(direction),
    zoom: random.uniform() < 0.3 ? random.normal() * 0.004 : 0,
    dark: colour(base, base + 20),
    light: colour(Math.min(200, base + (dim ? 10 : 30)), top),
    discs,
    grain: random.uniform() < 0.5 ? random.uniform() * 5 : 0,
    shake: random.uniform() < 0.25 ? random.uniform() * 4 : 0,
    flicker: random.uniform() < 0.25 ? random.uniform() * 0.06 : 0,
    bars: random.uniform() < 0.15 ? 12 + random.below(10) : 0,
  };
}

/** Creates a title: static light words on black. */
function drawTitle(random: SeededRandom): SyntheticScene {
  const grey: Colour = [16, 128, 128];
  const light: Colour = [140 + random.below(90), 128, 128];
  const y = clipHeight / 4 + random.below(clipHeight / 2);
  const words = 3 + random.below(6);
  const discs = Array.from({ length: words }, (_, word) => ({
    x: clipWidth / 2 + (word - words / 2) * 14, y, stepX: 0, stepY: 0, radius: 3 + random.below(3), colour: light,
  }));
  return {
    lattice: new Float32Array(latticeSize * latticeSize), scale: 20, panX: 0, panY: 0, zoom: 0, dark: grey, light: grey,
    discs, grain: 0, shake: 0, flicker: 0, bars: 0,
  };
}

/** Renders one picture of a scene, yuv420p. */
export function renderScene(scene: SyntheticScene, frame: number, random: SeededRandom): Uint8Array {
  const picture = new Uint8Array(clipBytes).fill(16, 0, lumaBytes).fill(128, lumaBytes);
  const size = scene.scale * Math.exp(scene.zoom * frame);
  const gain = 1 + scene.flicker * random.normal();
  const shakeX = scene.shake * random.normal();
  const shakeY = scene.shake * random.normal();
  const discs = scene.discs.map((disc) => ({
    ...disc,
    x: wrap(disc.x + disc.stepX * frame, clipWidth, disc.radius),
    y: wrap(disc.y + disc.stepY * frame, clipHeight, disc.radius),
  }));
  for (let y = scene.bars; y < clipHeight - scene.bars; y++) {
    const row = (y - clipHeight / 2 + scene.panY * frame + shakeY) / size;
    for (let x = 0; x < clipWidth; x++) {
      const disc = discAt(discs, x, y);
      const mix = disc === undefined ? texture(scene.lattice, (x - clipWidth / 2 + scene.panX * frame + shakeX) / size, row) : 0;
      const from = disc?.colour ?? scene.dark;
      const noise = scene.grain === 0 ? 0 : (random.uniform() - 0.5) * 2 * scene.grain;
      const luma = (from[0] + (scene.light[0] - from[0]) * mix) * gain + noise;
      picture[y * clipWidth + x] = Math.max(16, Math.min(235, luma));
      if (((x | y) & 1) !== 0) continue;
      const half = lumaBytes + (y >> 1) * (clipWidth >> 1) + (x >> 1);
      picture[half] = from[1] + (scene.light[1] - from[1]) * mix;
      picture[half + lumaBytes / 4] = from[2] + (scene.light[2] - from[2]) * mix;
    }
  }
  return picture;
}

function discAt(discs: readonly Disc[], x: number, y: number): Disc | undefined {
  for (const disc of discs) if ((x - disc.x) ** 2 + (y - disc.y) ** 2 < disc.radius ** 2) return disc;
  return undefined;
}

/** Value noise: interpolates smoothly between the points of a lattice. */
function texture(lattice: Float32Array, x: number, y: number): number {
  const column = Math.floor(x);
  const row = Math.floor(y);
  const across = smooth(x - column);
  const down = smooth(y - row);
  const left = column & (latticeSize - 1);
  const right = (column + 1) & (latticeSize - 1);
  const upperRow = (row & (latticeSize - 1)) * latticeSize;
  const lowerRow = ((row + 1) & (latticeSize - 1)) * latticeSize;
  const upper = lattice[upperRow + left]! + (lattice[upperRow + right]! - lattice[upperRow + left]!) * across;
  const lower = lattice[lowerRow + left]! + (lattice[lowerRow + right]! - lattice[lowerRow + left]!) * across;
  return upper + (lower - upper) * down;
}

function smooth(share: number): number {
  return share * share * (3 - 2 * share);
}

/** Wraps a position so that a disc leaves the picture completely before it reappears on the opposite side, without a jump. */
function wrap(value: number, length: number, radius: number): number {
  const round = length + 2 * radius;
  return ((((value + radius) % round) + round) % round) - radius;
}
