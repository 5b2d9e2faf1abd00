import { layoutLength } from '../pictures/frameTrack.ts';
import { melBands } from '../sound/soundTrack.ts';
import { rankValues } from './rankValues.ts';

/** Maximum number of cells with which each cell is compared. */
const references = 240;
/** Cells within 10 s are not compared: they cannot show whether a cell appears for the first time. */
const near = 20;
/** The distance is the mean over this many nearest neighbours. */
const nearest = 3;

/**
 * Novelty of each cell, 0–1: its distance from the nearest of up to 240 evenly spaced cells of other shots that are at least
 * 10 s away. Picture distances (mean absolute, 0–255) and spectrum distances (nepers) are converted to softened ranks and
 * combined.
 *
 * @param layouts `layoutLength` bytes per cell
 * @param spectra `melBands` log energies per cell; null without sound
 * @param shots index of the shot of each cell
 */
export function measureNovelty(layouts: Uint8Array, spectra: Float32Array | null, shots: Uint32Array): Float32Array {
  const own = ownShots(shots);
  const pictures = distances(layouts, layoutLength, own);
  const novelty = weighRank(pictures, 2, 12);
  if (spectra === null) return novelty;
  const sounds = weighRank(distances(spectra, melBands, own), 0.2, 1.2);
  return novelty.map((value, cell) => 0.7 * value + 0.3 * sounds[cell]!);
}

/**
 * Index of each cell's shot; −1 for a shot that covers at least half of the video, whose cells are also compared with each
 * other.
 */
function ownShots(shots: Uint32Array): Int32Array {
  const lengths = new Map<number, number>();
  for (const shot of shots) lengths.set(shot, (lengths.get(shot) ?? 0) + 1);
  return Int32Array.from(shots, (shot) => (2 * lengths.get(shot)! >= shots.length ? -1 : shot));
}

/** Softened rank of each distance, reduced for distances that are small in absolute terms. */
function weighRank(distance: Float32Array, bandwidth: number, scale: number): Float32Array {
  const ranks = rankValues(distance, bandwidth);
  return ranks.map((rank, cell) => rank * (1 - Math.exp(-distance[cell]! / scale)));
}

function distances(rows: Uint8Array | Float32Array, width: number, own: Int32Array): Float32Array {
  const cells = own.length;
  const known = Math.floor(rows.length / width);
  const result = new Float32Array(cells);
  if (known === 0) return result;
  const stride = Math.max(1, known / references);
  const best = new Float64Array(nearest);
  for (let cell = 0; cell < cells; cell++) {
    const row = Math.min(cell, known - 1) * width;
    best.fill(Number.POSITIVE_INFINITY);
    for (let place = 0; place < known; place += stride) {
      const other = Math.floor(place);
      if (Math.abs(other - cell) < near || (own[cell]! >= 0 && own[other] === own[cell])) continue;
      insert(best, meanDistance(rows, row, other * width, width));
    }
    const found = best.filter(Number.isFinite);
    result[cell] = found.length === 0 ? 0 : found.reduce((sum, value) => sum + value, 0) / found.length;
  }
  return result;
}

/** Inserts a value into the ascending list of the smallest values. */
function insert(best: Float64Array, value: number): void {
  let place = best.length - 1;
  if (value >= best[place]!) return;
  while (place > 0 && best[place - 1]! > value) {
    best[place] = best[place - 1]!;
    place--;
  }
  best[place] = value;
}

function meanDistance(rows: Uint8Array | Float32Array, a: number, b: number, width: number): number {
  let sum = 0;
  for (let index = 0; index < width; index++) sum += Math.abs(rows[a + index]! - rows[b + index]!);
  return sum / width;
}
