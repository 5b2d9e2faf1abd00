import { Canvas, type Colour } from './canvas.ts';
import { seededRandom } from '@vouch/platform/process/seededRandom';

const skin: Colour = [224, 172, 138];

/** Sky, hills that are paler in the distance, and a meadow. The picture is wide enough for a pan and repeats horizontally. */
export function hills(width: number, height: number): Canvas {
  const canvas = new Canvas(width, height);
  canvas.gradient(0, height, [92, 150, 220], [222, 232, 240]);
  const random = seededRandom(11).uniform;
  const layers: [number, Colour][] = [[0.5, [126, 150, 176]], [0.62, [88, 124, 120]], [0.75, [70, 118, 66]]];
  for (const [level, colour] of layers) {
    const waves = Array.from({ length: 5 }, (_, index) => ({ size: (0.07 * height) / (index + 1), turns: index + 1 + Math.floor(3 * random()), phase: 6.3 * random() }));
    for (let x = 0; x < width; x += 1) {
      // A whole number of periods over the width, so that the picture can repeat.
      const rise = waves.reduce((sum, { size, turns, phase }) => sum + size * Math.sin((2 * Math.PI * turns * x) / width + phase), 0);
      canvas.rectangle(x, level * height - rise, 1, height, colour);
    }
  }
  for (let tree = 0; tree < 26; tree += 1) {
    const [x, y, size] = [random() * width, (0.78 + 0.18 * random()) * height, 5 + 7 * random()];
    canvas.rectangle(x - 1, y, 3, size, [86, 62, 40]);
    canvas.ellipse(x, y - size * 0.4, size * 0.7, size, [38 + 20 * random(), 84 + 30 * random(), 40]);
  }
  return canvas;
}

/** Houses along a street, with lit windows at night. */
export function street(width: number, height: number, night: boolean): Canvas {
  const canvas = new Canvas(width, height);
  if (night) canvas.gradient(0, height, [8, 10, 30], [30, 26, 50]);
  else canvas.gradient(0, height, [150, 190, 230], [230, 236, 240]);
  const random = seededRandom(night ? 31 : 23).uniform;
  for (let left = 0; left < width; ) {
    const [wide, high] = [26 + 30 * random(), (0.3 + 0.35 * random()) * height];
    const wall: Colour = night ? [28, 28, 44] : [150 + 80 * random(), 120 + 70 * random(), 100 + 50 * random()];
    canvas.rectangle(left, 0.72 * height - high, wide, high, wall);
    for (let y = 0.72 * height - high + 6; y < 0.72 * height - 8; y += 12) {
      for (let x = left + 4; x < left + wide - 6; x += 10) {
        const lit = random() < 0.45;
        canvas.rectangle(x, y, 5, 7, night ? (lit ? [244, 214, 120] : [18, 18, 30]) : (lit ? [210, 226, 240] : [60, 74, 92]));
      }
    }
    left += wide;
  }
  canvas.rectangle(0, 0.72 * height, width, height, night ? [40, 40, 48] : [104, 104, 108]);
  for (let x = 0; x < width; x += 24) canvas.rectangle(x, 0.86 * height, 12, 2, [210, 208, 190]);
  return canvas;
}

/** Paints a car of 4 × `size` pixels length; `x` and `y` are the left top corner of its body. */
export function paintCar(canvas: Canvas, x: number, y: number, size: number, colour: Colour): void {
  canvas.rectangle(x, y, 4 * size, size, colour);
  canvas.rectangle(x + 0.8 * size, y - 0.8 * size, 2.2 * size, 0.9 * size, colour);
  canvas.rectangle(x + size, y - 0.65 * size, 1.8 * size, 0.6 * size, [190, 214, 232]);
  for (const wheel of [0.9, 3.1]) canvas.ellipse(x + wheel * size, y + size, 0.45 * size, 0.45 * size, [24, 24, 26]);
}

/** Paints a face in front of a wall. `nod` moves the face vertically (pixels); `open` is how far the mouth is open, 0–1. */
export function paintFace(canvas: Canvas, nod: number, open: number, look: { wall: Colour; hair: Colour; coat: Colour }): void {
  const { width, height } = canvas;
  const [x, y] = [width / 2, height * 0.45 + nod];
  canvas.cover(look.wall);
  for (let shelf = 0; shelf < 3; shelf += 1) canvas.rectangle(0, 24 + 44 * shelf, width, 3, [90, 70, 52]);
  canvas.ellipse(x, height * 1.15, width * 0.24, height * 0.42, look.coat);
  canvas.ellipse(x, y - 10, 40, 50, look.hair);
  canvas.rectangle(x - 12, y + 36, 24, 24, skin);
  canvas.ellipse(x, y, 33, 45, skin);
  for (const side of [-1, 1]) {
    canvas.ellipse(x + side * 13, y - 8, 6, 3.5, [250, 250, 250]);
    canvas.ellipse(x + side * 13, y - 8, 2.5, 3, [50, 40, 40]);
    canvas.rectangle(x + side * 13 - 7, y - 17, 14, 2, look.hair);
  }
  canvas.ellipse(x, y + 8, 4, 7, [206, 150, 118]);
  canvas.ellipse(x, y + 25, 11, 1.5 + 7 * open, [128, 42, 46]);
}

/** Colours of the sky (top and horizon), of the water and of the waves. */
interface SeaLight {
  sky: readonly [Colour, Colour];
  water: Colour;
  waves: readonly [Colour, Colour];
}

/** Paints a sea with moving waves below a sky. `time` is in seconds. */
export function paintSea(canvas: Canvas, time: number, { sky, water, waves }: SeaLight): void {
  const { width, height } = canvas;
  const horizon = Math.round(height * 0.42);
  canvas.gradient(0, horizon, ...sky);
  canvas.rectangle(0, horizon, width, height, water);
  for (let wave = 0; wave < 46; wave += 1) {
    const depth = wave / 46;
    const y = horizon + (height - horizon) * depth ** 1.4;
    const x = (wave * 97 + time * (12 + 60 * depth) + 6 * Math.sin(time * 2 + wave)) % (width + 60) - 60;
    canvas.rectangle(x, y + 1.5 * Math.sin(time * 2.4 + wave), 16 + 44 * depth, 1 + 2 * depth, waves[wave % 3 === 0 ? 0 : 1]);
  }
}

/** Paints a flash of lightning from the clouds to the ground. */
export function paintBolt(canvas: Canvas, x: number): void {
  const bend = (row: number): number => x + 16 * Math.abs(((row / 21) % 2) - 1) - 0.25 * row;
  canvas.rows(0, canvas.height * 0.72, (row) => [bend(row) - 3, bend(row) + 3], [255, 255, 236]);
  canvas.rows(canvas.height * 0.3, canvas.height * 0.2, (row) => [bend(row) + 0.9 * (row - 54), bend(row) + 0.9 * (row - 54) + 3], [255, 255, 236]);
}

/** Paints television colour bars. */
export function paintBars(canvas: Canvas): void {
  const colours: Colour[] = [[191, 191, 191], [191, 191, 0], [0, 191, 191], [0, 191, 0], [191, 0, 191], [191, 0, 0], [0, 0, 191]];
  colours.forEach((colour, index) => canvas.rectangle((index * canvas.width) / 7, 0, canvas.width / 7 + 1, canvas.height, colour));
}

/** Paints lines of unreadable text: letters as blocks, from top to bottom. */
export function paintWriting(canvas: Canvas, top: number, lines: number, size: number, seed: number): void {
  const random = seededRandom(seed).uniform;
  for (let line = 0; line < lines; line += 1) {
    const letters = Array.from({ length: 9 + Math.floor(random() * 9) }, () => (random() < 0.16 ? 0 : 0.5 + 0.3 * random()));
    let x = canvas.width / 2 - (letters.length * size) / 2;
    for (const letter of letters) {
      const y = top + line * size * 2.2;
      if (letter > 0) {
        canvas.rectangle(x, y, size * 0.18, size, [235, 235, 235]);
        canvas.rectangle(x, y + (letter > 0.65 ? 0 : size * 0.45), size * letter, size * 0.18, [235, 235, 235]);
        canvas.rectangle(x + size * letter, y + size * 0.2, size * 0.16, size * 0.8, [235, 235, 235]);
      }
      x += size;
    }
  }
}
