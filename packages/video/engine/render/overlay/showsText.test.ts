import { describe, expect, it } from 'vitest';
import { seededRandom } from '@vouch/platform/process/seededRandom';
import { showsText } from './showsText.ts';

const [width, height] = [960, 540];

/** Letters of 5 × 7 squares, row after row. */
const glyphs: Readonly<Record<string, string>> = {
  A: '01110 10001 10001 11111 10001 10001 10001', E: '11111 10000 10000 11110 10000 10000 11111', H: '10001 10001 10001 11111 10001 10001 10001',
  L: '10000 10000 10000 10000 10000 10000 11111', O: '01110 10001 10001 10001 10001 10001 01110', T: '11111 00100 00100 00100 00100 00100 00100',
};

type Picture = Parameters<typeof showsText>[0];

/** A scene of soft waves and grain, with discs of sharp edges in it. */
function scene(seed: number): Picture {
  const random = seededRandom(seed);
  const rgb = new Uint8Array(width * height * 3);
  const grain = Float32Array.from({ length: 8191 }, () => 6 * random.normal());
  const paint = (x: number, y: number, grey: number): void => void rgb.fill(grey + grain[(y * width + x) % grain.length]!, (y * width + x) * 3, (y * width + x) * 3 + 3);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) paint(x, y, 110 + 40 * Math.sin(x / 70) * Math.cos(y / 50));
  for (let disc = 0; disc < 40; disc++) {
    const [left, top, radius, grey] = [random.below(width), random.below(height), 4 + random.below(30), 30 + random.below(200)];
    for (let y = Math.max(0, top - radius); y < Math.min(height, top + radius); y++) {
      for (let x = Math.max(0, left - radius); x < Math.min(width, left + radius); x++) if ((x - left) ** 2 + (y - top) ** 2 < radius ** 2) paint(x, y, grey);
    }
  }
  return { rgb, width, height };
}

/** Lays letters over a picture; `square` is the size of a square of a letter, `gap` the squares between two letters. */
function write({ rgb }: Picture, text: string, { left, top, square, gap = 1, grey = 250 }: { left: number; top: number; square: number; gap?: number; grey?: number }): Picture {
  const copy = rgb.slice();
  for (const [index, name] of [...text].entries()) {
    for (const [row, line] of glyphs[name]!.split(' ').entries()) {
      for (const [column, mark] of [...line].entries()) {
        if (mark === '0') continue;
        const x = left + (index * (5 + gap) + column) * square;
        for (let y = top + row * square; y < top + (row + 1) * square; y++) copy.fill(grey, (y * width + x) * 3, (y * width + x + square) * 3);
      }
    }
  }
  return { rgb: copy, width, height };
}

describe('text over a picture', () => {
  it('is found as a small and as a large line, bright and dark', () => {
    const place = { left: 200, top: 400 };
    expect(showsText(write(scene(1), 'HOTELHALL', { ...place, square: 3 }))).toBe(true);
    expect(showsText(write(scene(1), 'HOTELHALL', { ...place, top: 200, square: 9 }))).toBe(true);
    expect(showsText(write(scene(1), 'HOTELHALL', { ...place, square: 4, grey: 5 }))).toBe(true);
  });

  it('is found where the letters touch each other', () => {
    const touching = { left: 200, top: 200, square: 12, gap: 0 };
    expect(showsText(write(scene(2), 'HEATEELEHE', touching))).toBe(true);
  });

  it('is not found in scenes, nor in a few letters', () => {
    for (let seed = 1; seed <= 3; seed++) expect(showsText(scene(seed))).toBe(false);
    expect(showsText(write(scene(1), 'HOT', { left: 200, top: 400, square: 4 }))).toBe(false);
  });

  it('is not found in tiny pictures', () => {
    expect(showsText({ rgb: new Uint8Array(3 * 4).fill(200), width: 2, height: 2 })).toBe(false);
  });
});
