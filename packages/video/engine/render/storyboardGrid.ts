import { fitSize, type Size } from './previewShape.ts';

/** Larger side of one picture of the storyboard, pixels. */
const tileSide = 160;
const maxColumns = 10;
/** 10 × 10 pictures of 160 × 90 make one file that every browser takes. */
const maxTiles = 100;
/** Steps that people count in, seconds. */
const steps = [0.5, 1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 300, 600, 1200, 1800, 3600];

/** The storyboard's pictures: what each shows and where it lies. */
export interface StoryboardGrid {
  /** Seconds from one picture to the next. */
  step: number;
  tile: Size;
  columns: number;
  rows: number;
  /** Which time each picture stands for: the middle of its cue. */
  times: readonly number[];
  duration: number;
}

/** Lays out a storyboard: at most 100 pictures, at least half a second apart. */
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

/** WebVTT that names the part of the sprite for each stretch of time (`sprite.jpg#xywh=x,y,width,height`). */
export function storyboardVtt(grid: StoryboardGrid, spriteName: string): string {
  const cues = grid.times.map((_, index) => {
    const end = index === grid.times.length - 1 ? grid.duration : (index + 1) * grid.step;
    const { x, y } = tilePlace(grid, index);
    return `${timestamp(index * grid.step)} --> ${timestamp(end)}\n${spriteName}#xywh=${x},${y},${grid.tile.width},${grid.tile.height}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

export function tilePlace(grid: Pick<StoryboardGrid, 'columns' | 'tile'>, index: number): { x: number; y: number } {
  return { x: (index % grid.columns) * grid.tile.width, y: Math.floor(index / grid.columns) * grid.tile.height };
}

/** Size of the picture that holds all tiles. */
export function spriteSize({ columns, rows, tile }: Pick<StoryboardGrid, 'columns' | 'rows' | 'tile'>): Size {
  return { width: columns * tile.width, height: rows * tile.height };
}

/** Puts pictures of one size side by side, row by row; what is missing stays dark grey. */
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

/** `hh:mm:ss.mmm`, as WebVTT wants it. */
function timestamp(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${two(milliseconds / 3_600_000)}:${two((milliseconds / 60_000) % 60)}:${two((milliseconds / 1000) % 60)}.${String(milliseconds % 1000).padStart(3, '0')}`;
}
