import { minOfKind, middleOf, windowOf } from './measureSurprise.ts';

/** Number of cells (2 s) that share one computation of the normal spectrum. */
const block = 4;

/**
 * Measures how far each cell's spectrum rises above the normal spectrum around it, in nepers: the excess over each band's
 * median in the same shot within 15 s, averaged over the bands. A knock between words is no louder than the words, but fills
 * bands that the words leave empty.
 *
 * @param spectra log energies, `width` values per cell
 * @param shots index of the shot of each cell
 * @param kinds class of each cell (speech or not); cells are compared within their class if it has enough cells nearby
 */
export function measureExcess(spectra: Float32Array, width: number, shots: Uint32Array, kinds: Uint8Array): Float32Array {
  const excess = new Float32Array(shots.length);
  /** Normal spectrum per kind for the current block of cells of one shot. */
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

/**
 * Median of each band over the cells of the same kind in the same shot within 15 s; over all kinds if the kind has too few
 * cells.
 */
function mediansAround(spectra: Float32Array, width: number, shots: Uint32Array, kinds: Uint8Array, cell: number): Float32Array {
  const { from, to } = windowOf(shots, cell);
  const cells = Array.from({ length: to - from }, (_, index) => from + index);
  const alike = cells.filter((other) => kinds[other] === kinds[cell]);
  const compared = alike.length >= minOfKind ? alike : cells;
  return Float32Array.from({ length: width }, (_, band) => middleOf(Float32Array.from(compared, (other) => spectra[other * width + band]!).sort()));
}
