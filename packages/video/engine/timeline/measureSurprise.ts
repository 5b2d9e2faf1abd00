/** Number of cells on each side that form the surroundings: 15 s. */
const reach = 30;

/** Number of cells (4 s) from which on a shot's own median weighs at least as much as the median of its surroundings. */
const ownWeight = 8;

interface SurpriseScale {
  /** Minimum spread of ordinary values, in the unit of the values. */
  floor: number;
  /** Number of spreads above normal that give a surprise of 0.63 (1 − 1/e). */
  width: number;
}

/** Minimum number of nearby cells of the same kind for a comparison within this kind alone. */
export const minOfKind = 6;

/**
 * Measures how far each value is above the normal value around it, 0–1. Normal is a weighted mean of the median of the shot
 * within 15 s and the median of everything within 15 s; the shorter the shot, the higher the weight of the latter. A long shot
 * of water is therefore normal, and a short shot of a splash is not. The spread is the median absolute deviation of the same
 * values.
 *
 * @param values logarithmic quantities (dB, log motion), one per cell
 * @param shots index of the shot of each cell
 * @param kinds class of each cell (speech or not); cells are compared within their class if it has enough cells nearby,
 *   because speech is only unusual if it is louder than other speech
 */
export function measureSurprise(values: Float32Array, shots: Uint32Array, kinds: Uint8Array, scale: SurpriseScale): Float32Array {
  const surprise = new Float32Array(values.length);
  const ofKind = (from: number, to: number, kind: number): Float32Array => values.slice(from, to).filter((_, index) => kinds[from + index] === kind);
  for (let cell = 0; cell < values.length; cell++) {
    const { from, to } = windowOf(shots, cell);
    const [wideFrom, wideTo] = [Math.max(0, cell - reach), Math.min(values.length, cell + reach + 1)];
    const alike = ofKind(wideFrom, wideTo, kinds[cell]!);
    const known = alike.length >= minOfKind;
    const around = known ? alike.sort() : values.slice(wideFrom, wideTo).sort();
    const own = (known ? ofKind(from, to, kinds[cell]!) : values.slice(from, to)).sort();
    const weight = own.length / (own.length + ownWeight);
    const normal = weight * middleOf(own) + (1 - weight) * middleOf(around);
    const spread = weight * deviation(own) + (1 - weight) * Math.min(deviation(own), deviation(around));
    const excess = (values[cell]! - normal) / (Math.max(scale.floor, 1.5 * spread) * scale.width);
    surprise[cell] = excess > 0 ? 1 - Math.exp(-excess) : 0;
  }
  return surprise;
}

/** Cells of the same shot within 15 s, from ≤ index < to. */
export function windowOf(shots: Uint32Array, cell: number): { from: number; to: number } {
  let from = cell;
  let to = cell + 1;
  while (from > 0 && cell - from < reach && shots[from - 1] === shots[cell]) from--;
  while (to < shots.length && to - cell <= reach && shots[to] === shots[cell]) to++;
  return { from, to };
}

/** Median; `sorted` must be ascending and not empty. */
export function middleOf(sorted: Float32Array): number {
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

function deviation(sorted: Float32Array): number {
  const middle = middleOf(sorted);
  return middleOf(sorted.map((value) => Math.abs(value - middle)).sort());
}
