import { seededRandom, type SeededRandom } from '@vouch/platform/process/seededRandom';

/**
 * Creates the random generator of a training. All 64 bits of the seed count, and neighbouring seeds give unrelated sequences.
 * @param seed any integer; the same seed gives the same model
 */
export function createRandom(seed: number): SeededRandom {
  return seededRandom(Math.imul(seed ^ (seed / 2 ** 32), 0x9e3779b1) ^ 0x5bd1e995);
}
