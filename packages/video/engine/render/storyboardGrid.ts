import { cueTime } from '../media/cueTime.ts';
import { fitSize, type Size } from './framing/fitSize.ts';

/** Larger side of one storyboard picture, pixels. */
const tileSide = 160;
const maxColumns = 10;
/** Maximum number of pictures: 10 × 10 pictures of 160 × 90 pixels make an image that every browser accepts. */
const maxTiles = 100;
/** Allowed intervals between pictures, seconds. */
const steps = [0.5, 1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 300, 600, 1200, 1800, 3600];

/** Layout of a storyboard: the time and the position of each picture. */
export interface StoryboardGrid {
  /** Interval between two pictures, seconds. */
  step: number;
  tile: Size;
  columns: number;
  rows: number;
  /** Time of each picture in the source, seconds: the middle of its cue. */
  times: readonly number[];
  duration: number;
}

/**
 * Computes the layout of a storyboard: at most 100 pictures, at least 0.5 s apart.
 * @param duration length of the video, seconds
 * @param picture size of the video, pixels
 */
export function layStoryboard(duration: number, picture: Size): StoryboardGrid {
  const step = steps.find((candidate) => duration / candidate <= maxTiles) ?? duration / maxTiles;
  const count = Math.max(1, Math.min(maxTiles, Math.ceil(duration / step - 1e-6)));
  const columns = Math.min(maxColumns, count);
  return {
    step,
    tile: fitSize(picture, { width: tileSide, height: tileSide }),
    columns,
    rows: Math.ceil(count / columns),
    times: Array.from({ length: count }, (_, index) => (index * step + Math.min(duration, (index + 1) * step)) / 2),
    duration,
  };
}

/** WebVTT that maps each interval to its part of the sprite (`sprite.jpg#xywh=x,y,width,height`). */
export function storyboardVtt(grid: StoryboardGrid, spriteName: string): string {
  const cues = grid.times.map((_, index) => {
    const end = index === grid.times.length - 1 ? grid.duration : (index + 1) * grid.step;
    const { x, y } = tilePlace(grid, index);
    return `${cueTime(index * grid.step)} --> ${cueTime(end)}\n${spriteName}#xywh=${x},${y},${grid.tile.width},${grid.tile.height}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

/** Position of a picture's top left corner in the sprite, pixels. */
export function tilePlace(grid: Pick<StoryboardGrid, 'columns' | 'tile'>, index: number): { x: number; y: number } {
  return { x: (index % grid.columns) * grid.tile.width, y: Math.floor(index / grid.columns) * grid.tile.height };
}

/** Size of the sprite, pixels. */
export function spriteSize({ columns, rows, tile }: Pick<StoryboardGrid, 'columns' | 'rows' | 'tile'>): Size {
  return { width: columns * tile.width, height: rows * tile.height };
}

/** Composes a sprite from pictures of one size, row by row. Missing pictures (null) are dark grey. */
export function composeSprite(grid: Pick<StoryboardGrid, 'columns' | 'rows' | 'tile'>, tiles: readonly (Uint8Array | null)[]): { rgb: Uint8Array } & Size {
  const { width, height } = spriteSize(grid);
  const rgb = new Uint8Array(width * height * 3).fill(32);
  tiles.forEach((tile, index) => {
    if (tile === null) return;
    const { x, y } = tilePlace(grid, index);
    const row = grid.tile.width * 3;
    for (let line = 0; line < grid.tile.height; line += 1) {
      rgb.set(tile.subarray(line * row, (line + 1) * row), ((y + line) * width + x) * 3);
    }
  });
  return { rgb, width, height };
}
