import { countBelow } from '../timeline/rankValues.ts';
import type { StoryboardGrid } from './storyboardGrid.ts';
import { takePicture, type PictureSource } from './takePictures.ts';

/** From this step on, jumping to each time is cheaper than reading every key frame of the file. */
const jumpFromStep = 20;
/** Pixels × frames up to which the whole clip is decoded for its storyboard: two minutes of 640 × 360 at 25 per second. */
const decodeWholeUpTo = 640 * 360 * 25 * 120;
/** Below this step the clip is short, and fetching what key frames leave open takes longer than decoding it: 8.6 s against 3.3 s for 30 s of 1080p. */
const decodeWholeBelowStep = 1;
/** A key frame stands for times up to this long after it: encoders put one at a cut and, in a still shot, every 10 s. */
const keyStandsFor = 6;
/** Key frames that are compared for one time where each costs a jump: the first one may lie in a fade. */
const maxCompared = 3;
/** Pictures that are fetched one by one where no key frame is near. */
const maxFetched = 24;

/** A cut's time and that of its key frame are the same but for rounding, seconds. */
const rounding = 0.001;

/**
 * Small pictures near the times of a storyboard; null where nothing could be decoded.
 * @param changes where the picture becomes another one: beginnings and ends of transitions, ascending, seconds. A key frame does not
 *   stand for a time behind one of them, since not every cut has a key frame.
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

/** Which missing pictures are fetched: one of each shot that has none, then others, evenly. */
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

/** The picture nearest to a place in the grid among those of the same shot. */
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

/** What was seen for each time of the grid. */
interface Candidates {
  /** The last picture not after it, and the first one after it. */
  before: (Found | null)[];
  after: (Found | null)[];
  /** The picture with the highest contrast in the stretch of the tile: key frames often lie in a fade. */
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

/** Standard deviation of green, which is most of what the eye calls brightness. */
function contrastOf(rgb: Uint8Array): number {
  let [sum, squares, count] = [0, 0, 0];
  for (let index = 1; index < rgb.length; index += 3, count += 1) {
    sum += rgb[index]!;
    squares += rgb[index]! ** 2;
  }
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}

/** Prefers the picture before the time, since a cut has its key frame at the new shot's beginning. */
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
