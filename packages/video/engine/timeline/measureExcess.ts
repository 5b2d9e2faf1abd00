import { minOfKind, middleOf, windowOf } from './measureSurprise.ts';

/** Cells for which what is normal is found once: 2 s. */
const block = 4;

/**
 * How much each cell's spectrum rises above what is normal around it, in nepers: mean over the bands of what lies above the
 * band's median in the same shot within 15 s. A blow between words is no louder than the words, but fills bands that they
 * leave empty.
 *
 * @param spectra log energies, `width` values per cell
 * @param kinds cells are compared with those of their own kind, where there are enough
 */
export function measureExcess(spectra: Float32Array, width: number, shots: Uint32Array, kinds: Uint8Array): Float32Array {
  const excess = new Float32Array(shots.length);
  /** What is normal for each kind, in the present block of cells of one shot. */
  let normals: (Float32Array | undefined)[] = [];
  for (let cell = 0; cell < shots.length; cell++) {
    if (cell % block === 0 || shots[cell] !== shots[cell - 1]) normals = [];
    const kind = kinds[cell]!;
    const normal = (normals[kind] ??= mediansAround(spectra, width, shots, kinds, cell));
    let sum = 0;
    for (let band = 0; band < width; band++) sum += Math.max(0, spectra[cell * width + band]! - normal[band]!);
    excess[cell] = sum / width;
  }
  return excess;
}

/** Median of each band in the cells of a cell's kind in its shot within 15 s; of all kinds where there are too few. */
function mediansAround(spectra: Float32Array, width: number, shots: Uint32Array, kinds: Uint8Array, cell: number): Float32Array {
  const { from, to } = windowOf(shots, cell);
  const cells = Array.from({ length: to - from }, (_, index) => from + index);
  const alike = cells.filter((other) => kinds[other] === kinds[cell]);
  const compared = alike.length >= minOfKind ? alike : cells;
  return Float32Array.from({ length: width }, (_, band) => middleOf(Float32Array.from(compared, (other) => spectra[other * width + band]!).sort()));
}
