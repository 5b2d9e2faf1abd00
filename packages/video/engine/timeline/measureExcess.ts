import { leastOfKind, middleOf, windowOf } from './measureSurprise.ts';

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
  for (let cell = 0; cell < shots.length; cell++) {
    const { from, to } = windowOf(shots, cell);
    const cells = Array.from({ length: to - from }, (_, index) => from + index);
    const alike = cells.filter((other) => kinds[other] === kinds[cell]);
    const compared = alike.length >= leastOfKind ? alike : cells;
    let sum = 0;
    for (let band = 0; band < width; band++) {
      const values = Float32Array.from(compared, (other) => spectra[other * width + band]!).sort();
      sum += Math.max(0, spectra[cell * width + band]! - middleOf(values));
    }
    excess[cell] = sum / width;
  }
  return excess;
}
