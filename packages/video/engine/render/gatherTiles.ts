import type { StoryboardGrid } from './storyboardGrid.ts';
import { takePicture, type PictureSource } from './takePictures.ts';

/** From this step on, jumping to each time is cheaper than reading every key frame of the file. */
const jumpFromStep = 20;
/** Pixels × frames up to which the whole clip is decoded for its storyboard: two minutes of 640 × 360 at 25 per second. */
const decodeWholeUpTo = 640 * 360 * 25 * 120;
/** A key frame stands for times up to this long after it: encoders put one at a cut and, in a still shot, every 10 s. */
const keyStandsFor = 6;
/** Pictures that are fetched one by one where no key frame is near. */
const fetchedAtMost = 24;

/** Small pictures near the times of a storyboard; null where nothing could be decoded. */
export async function gatherTiles(from: PictureSource, grid: StoryboardGrid, progress: (share: number) => void): Promise<(Uint8Array | null)[]> {
  const { width, height, frameRate } = from.source.info.video;
  const work = width * height * (frameRate.numerator / frameRate.denominator) * grid.duration;
  if (work <= decodeWholeUpTo) return passOver(from, grid, 'none', progress).then(latest(grid, Infinity));
  if (grid.step >= jumpFromStep) return jumpToEach(from, grid, progress);
  const keys = await passOver(from, grid, 'non-key', (share) => progress(0.7 * share));
  const tiles = latest(grid, Math.max(grid.step, keyStandsFor))(keys);
  const missing = tiles.flatMap((tile, index) => (tile === null ? [index] : []));
  const fetched = missing.filter((_, order) => order % Math.ceil(missing.length / fetchedAtMost) === 0);
  for (const [order, index] of fetched.entries()) {
    tiles[index] = (await takePicture(from, grid.times[index]!, grid.tile))?.rgb ?? null;
    progress(0.7 + (0.3 * (order + 1)) / fetched.length);
  }
  const anything = latest(grid, Infinity)(keys);
  return tiles.map((tile, index) => tile ?? anything[index] ?? null);
}

/** For each time of the grid the last picture not after it, and the first one after it. */
interface Candidates {
  before: ({ time: number; data: Uint8Array } | null)[];
  after: ({ time: number; data: Uint8Array } | null)[];
}

async function passOver(
  { backend, source, signal }: PictureSource, grid: StoryboardGrid, skip: 'none' | 'non-key', progress: (share: number) => void,
): Promise<Candidates> {
  const found: Candidates = { before: grid.times.map(() => null), after: grid.times.map(() => null) };
  let last: { time: number; data: Uint8Array } | null = null;
  let next = 0;
  for await (const { time, data } of backend.pictures({ path: source.path, info: source.info, ...grid.tile, format: 'rgb24', skip, signal })) {
    while (next < grid.times.length && grid.times[next]! < time) {
      found.before[next] = last;
      found.after[next] = { time, data };
      next += 1;
    }
    last = { time, data };
    progress(Math.min(1, time / grid.duration));
    if (next === grid.times.length) break;
  }
  for (; next < grid.times.length; next += 1) found.before[next] = last;
  return found;
}

/** Prefers the picture before the time, since a cut has its key frame at the new shot's beginning. */
function latest(grid: StoryboardGrid, standsFor: number): (found: Candidates) => (Uint8Array | null)[] {
  return ({ before, after }) => grid.times.map((time, index) => {
    const [early, late] = [before[index] ?? null, after[index] ?? null];
    if (early !== null && time - early.time <= standsFor) return early.data;
    if (late !== null && late.time - time <= grid.step / 2) return late.data;
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
    let tile: Uint8Array | null = null;
    for await (const picture of pictures) {
      tile = picture.data;
      break;
    }
    tile ??= (await takePicture({ backend, source, signal }, time, grid.tile))?.rgb ?? null;
    tiles.push(tile);
    progress((index + 1) / grid.times.length);
  }
  return tiles;
}
