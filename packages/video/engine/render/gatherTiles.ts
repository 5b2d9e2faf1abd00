import { countBelow } from '../timeline/rankValues.ts';
import type { StoryboardGrid } from './storyboardGrid.ts';
import { takePicture, type PictureSource } from './takePictures.ts';

/** From this interval (seconds) on, seeking to each time is cheaper than reading every key frame of the file. */
const jumpFromStep = 20;
/**
 * Maximum work (pixels × frames) for decoding the whole video for its storyboard: two minutes of 640 × 360 at 25 frames per
 * second.
 */
const decodeWholeUpTo = 640 * 360 * 25 * 120;
/**
 * Below this interval (seconds) the video is short, and decoding it completely is faster than seeking to the times without a
 * key frame: 3.3 s instead of 8.6 s for 30 s of 1080p.
 */
const decodeWholeBelowStep = 1;
/**
 * A key frame represents times up to this many seconds later: encoders place a key frame at a cut and, in a still shot, every
 * 10 s.
 */
const keyStandsFor = 6;
/** Number of key frames to compare per time if each time needs a seek: the first key frame may be in a fade. */
const maxCompared = 3;
/** Maximum number of pictures to decode individually for times without a nearby key frame. */
const maxFetched = 24;

/** The times of a cut and of its key frame may differ by this rounding error, seconds. */
const rounding = 0.001;

/**
 * Decodes the pictures of a storyboard.
 * @param changes start and end times of transitions, seconds, ascending. A key frame does not represent a time after the next
 *   of these, because not every cut has a key frame.
 * @returns one picture (packed RGB) per time of the grid; null if nothing could be decoded
 */
export async function gatherTiles(
  from: PictureSource, grid: StoryboardGrid, progress: (share: number) => void, changes: readonly number[] = [],
): Promise<(Uint8Array | null)[]> {
  const { width, height, frameRate } = from.source.info.video;
  const work = width * height * (frameRate.numerator / frameRate.denominator) * grid.duration;
  if (work <= decodeWholeUpTo || grid.step < decodeWholeBelowStep) return latest(await passOver(from, grid, 'none', progress), grid, Infinity);
  if (grid.step >= jumpFromStep) return jumpToEach(from, grid, progress);
  const keys = await passOver(from, grid, 'non-key', (share) => progress(0.7 * share));
  const shotOf = (time: number): number => countBelow(changes, time + rounding);
  const early = latest(keys, grid, keyStandsFor, shotOf);
  const tiles = keys.richest.map((richest, index) => richest?.data ?? early[index] ?? null);
  const shots = grid.times.map(shotOf);
  const fetched = chooseFetched(tiles, shots);
  for (const [order, index] of fetched.entries()) {
    tiles[index] = (await takePicture(from, grid.times[index]!, grid.tile))?.rgb ?? null;
    progress(0.7 + (0.3 * (order + 1)) / fetched.length);
  }
  const anything = latest(keys, grid, Infinity);
  return tiles.map((tile, index) => tile ?? nearestOf(tiles, index, (other) => shots[other] === shots[index]) ?? anything[index] ?? null);
}

/** Selects the missing pictures to decode: one for each shot without a picture first, then others, evenly spaced. */
function chooseFetched(tiles: readonly (Uint8Array | null)[], shots: readonly number[]): number[] {
  const missing = tiles.flatMap((tile, index) => (tile === null ? [index] : []));
  const shown = new Set(shots.filter((_, index) => tiles[index] !== null));
  const first = missing.filter((index, order) => !shown.has(shots[index]!) && shots[missing[order - 1] ?? -1] !== shots[index]);
  const needed = spread(first, maxFetched);
  const others = spread(missing.filter((index) => !first.includes(index)), maxFetched - needed.length);
  return [...needed, ...others].sort((a, b) => a - b);
}

function spread(places: readonly number[], most: number): number[] {
  if (most <= 0) return [];
  const step = Math.max(1, Math.ceil(places.length / most));
  return places.filter((_, order) => order % step === 0);
}

/** The available picture of the same shot that is nearest in the grid; null if there is none. */
function nearestOf(tiles: readonly (Uint8Array | null)[], index: number, same: (other: number) => boolean): Uint8Array | null {
  for (let distance = 1; distance < tiles.length; distance += 1) {
    for (const other of [index - distance, index + distance]) if (tiles[other] !== undefined && tiles[other] !== null && same(other)) return tiles[other];
  }
  return null;
}

interface Found {
  time: number;
  data: Uint8Array;
}

/** Candidate pictures for each time of the grid. */
interface Candidates {
  /** The last picture at or before each time, and the first picture after it. */
  before: (Found | null)[];
  after: (Found | null)[];
  /** The picture with the highest contrast in the interval of the tile: key frames are often in a fade. */
  richest: ((Found & { contrast: number }) | null)[];
}

async function passOver(
  { backend, source, signal }: PictureSource, grid: StoryboardGrid, skip: 'none' | 'non-key', progress: (share: number) => void,
): Promise<Candidates> {
  const found: Candidates = { before: grid.times.map(() => null), after: grid.times.map(() => null), richest: grid.times.map(() => null) };
  let last: Found | null = null;
  let next = 0;
  for await (const { time, data } of backend.pictures({ path: source.path, info: source.info, ...grid.tile, format: 'rgb24', skip, signal })) {
    while (next < grid.times.length && grid.times[next]! < time) {
      found.before[next] = last;
      found.after[next] = { time, data };
      next += 1;
    }
    last = { time, data };
    const cell = Math.floor(Math.max(0, time) / grid.step);
    const contrast = skip === 'none' ? 0 : contrastOf(data);
    if (cell < grid.times.length && contrast > (found.richest[cell]?.contrast ?? 0)) found.richest[cell] = { time, data, contrast };
    progress(Math.min(1, time / grid.duration));
  }
  for (; next < grid.times.length; next += 1) found.before[next] = last;
  return found;
}

/** Standard deviation of the green channel, which contributes most to perceived brightness. */
function contrastOf(rgb: Uint8Array): number {
  let [sum, squares, count] = [0, 0, 0];
  for (let index = 1; index < rgb.length; index += 3, count += 1) {
    sum += rgb[index]!;
    squares += rgb[index]! ** 2;
  }
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}

/** Selects the picture before each time, because the key frame of a cut is at the start of the new shot. */
function latest({ before, after }: Candidates, grid: StoryboardGrid, standsFor: number, shotOf: (time: number) => number = () => 0): (Uint8Array | null)[] {
  return grid.times.map((time, index) => {
    const [early, late] = [before[index] ?? null, after[index] ?? null];
    if (early !== null && time - early.time <= standsFor && shotOf(early.time) === shotOf(time)) return early.data;
    return standsFor === Infinity ? (late?.data ?? null) : null;
  });
}

async function jumpToEach({ backend, source, signal }: PictureSource, grid: StoryboardGrid, progress: (share: number) => void): Promise<(Uint8Array | null)[]> {
  const tiles: (Uint8Array | null)[] = [];
  for (const [index, time] of grid.times.entries()) {
    const pictures = backend.pictures({
      path: source.path, info: source.info, ...grid.tile, format: 'rgb24', skip: 'non-key',
      from: Math.max(0, time - grid.step / 2), to: time + grid.step / 2, signal,
    });
    let best: { data: Uint8Array; contrast: number } | null = null;
    let seen = 0;
    for await (const { data } of pictures) {
      const contrast = contrastOf(data);
      if (best === null || contrast > best.contrast) best = { data, contrast };
      seen += 1;
      if (seen === maxCompared) break;
    }
    tiles.push(best?.data ?? (await takePicture({ backend, source, signal }, time, grid.tile))?.rgb ?? null);
    progress((index + 1) / grid.times.length);
  }
  return tiles;
}
