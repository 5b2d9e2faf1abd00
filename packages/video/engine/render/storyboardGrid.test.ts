import { describe, expect, it } from 'vitest';
import { composeSprite, layStoryboard, storyboardVtt, tilePlace } from './storyboardGrid.ts';

describe('a storyboard', () => {
  it('has at most 100 pictures that cover the whole video, whatever its length', () => {
    for (const duration of [0.04, 0.5, 3, 29.97, 30, 61, 3600, 28_800, 360_000]) {
      const grid = layStoryboard(duration, { width: 1920, height: 1080 });
      expect(grid.times.length).toBeLessThanOrEqual(100);
      expect(grid.rows * grid.columns).toBeGreaterThanOrEqual(grid.times.length);
      expect(grid.step * grid.times.length).toBeGreaterThanOrEqual(duration - 1e-6);
      expect(grid.step * (grid.times.length - 1)).toBeLessThan(duration);
      for (const time of grid.times) expect(time).toBeLessThanOrEqual(duration);
    }
  });

  it('names for each stretch of time the part of the sprite, without gap and up to the end', () => {
    const grid = layStoryboard(25.5, { width: 640, height: 360 });
    const cues = [...storyboardVtt(grid, 'storyboard.jpg').matchAll(/^(\S+) --> (\S+)\nstoryboard\.jpg#xywh=(\d+),(\d+),160,90$/gm)];
    expect(cues.length).toBe(grid.times.length);
    expect(cues[0]?.[1]).toBe('00:00:00.000');
    expect(cues.at(-1)?.[2]).toBe('00:00:25.500');
    cues.forEach((cue, index) => {
      if (index > 0) expect(cue[1]).toBe(cues[index - 1]?.[2]);
      expect({ x: Number(cue[3]), y: Number(cue[4]) }).toEqual(tilePlace(grid, index));
    });
  });

  it('puts each picture at its place', () => {
    const grid = { ...layStoryboard(6, { width: 16, height: 16 }), tile: { width: 2, height: 2 }, columns: 2, rows: 2 };
    const tile = (value: number): Uint8Array => new Uint8Array(12).fill(value);
    const sprite = composeSprite(grid, [tile(1), tile(2), null, tile(4)]);
    const red = Array.from({ length: 16 }, (_, pixel) => sprite.rgb[pixel * 3]);
    expect(red).toEqual([1, 1, 2, 2, 1, 1, 2, 2, 32, 32, 4, 4, 32, 32, 4, 4]);
  });
});
