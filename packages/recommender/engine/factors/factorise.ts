import { KernelBlock } from './kernelBlock.ts';
import { PlainBlock } from './plainBlock.ts';
import { mostDegrees, nextDamping, noDamping, rootsOf } from './damping.ts';
import { createRandom } from '../linear/random.ts';
import { symmetricEigen } from '../linear/symmetricEigen.ts';
import { ProgressMeter } from '../progress/progressMeter.ts';
import type { VectorBlock } from './vectorBlock.ts';
import type { Interactions } from '../matrix/interactions.ts';

const maxRank = 256;
const oversampling = 32;
/** Rounds of the subspace iteration. */
export const iterations = 4;
/** Eigenvalues below this share of the largest eigenvalue are rounding errors; their directions are set to zero. */
const negligible = 1e-8;
/**
 * Catalogues of a few dozen items keep at least this many directions, because a quarter of the items is too few to order
 * lists.
 */
const smallRank = 8;

/** The strongest right singular vectors of the normalised interaction matrix. */
export interface Factors {
  rank: number;
  /** Items × rank, row-major; the columns are orthonormal, strongest first. */
  vectors: Float32Array;
  /** Eigenvalues of `X^T X` divided by the largest eigenvalue, in descending order. */
  eigenvalues: Float64Array;
  /** The largest eigenvalue of `X^T X` before the division; 0 without interactions. */
  largestEigenvalue: number;
}

/** Factors with the cost of their computation. */
interface Factorisation extends Factors {
  /** Number of products of `X^T X` with the block of vectors. */
  products: number;
}

/** Maximum number of products of `X^T X` with the block of vectors, of which dense data needs fewer. */
export function mostProducts(rounds = iterations): number {
  return 1 + Array.from({ length: rounds }, (_, round) => mostDegrees(round)).reduce((sum, degree) => sum + degree, 0);
}

/** Rank of the factors: min(256, items/4, users/4), but at least 8 if there are as many items and users. */
export function factorRank(interactions: Pick<Interactions, 'users' | 'itemDegree'>): number {
  const items = interactions.itemDegree.reduce((count, degree) => count + (degree > 0 ? 1 : 0), 0);
  const quarter = Math.floor(Math.min(items, interactions.users) / 4);
  return Math.min(maxRank, Math.max(quarter, Math.min(smallRank, items, interactions.users)));
}

/** Number of columns of the block that the iteration works on. */
export function blockColumns(rank: number, items: number): number {
  return Math.min(rank + oversampling, items);
}

/**
 * Computes the top right singular vectors of `X = D_u^(pu/2) R D_i^-1/2` by randomised block subspace iteration (Halko,
 * Martinsson and Tropp 2011, algorithm 4.4) with Cholesky-QR, polynomials that damp the unwanted eigenvalues (see `Damping`) and a final
 * Rayleigh-Ritz step.
 * @param rounds rounds of the iteration; with fewer rounds, the weakest directions are less exact
 */
export function factorise(
  interactions: Interactions,
  pu: number,
  seed: number,
  report: (fraction: number) => void,
  rounds = iterations,
): Factorisation {
  const rank = factorRank(interactions);
  if (rank === 0) return { rank, vectors: new Float32Array(0), eigenvalues: new Float64Array(0), largestEigenvalue: 0, products: 0 };
  const { items, workspace } = interactions;
  const columns = blockColumns(rank, items);
  const productUnits = interactions.rows.index.length + items;
  const meter = new ProgressMeter(mostProducts(rounds) * productUnits + (2 * rounds + 1) * items, report);
  const omit = (products: number): void => meter.omit(products * productUnits);
  const random = createRandom(seed);
  // Uniform numbers span the strongest directions as well as normal ones, and take a tenth of the time.
  const draw = (): number => random.uniform() - 0.5;
  if (workspace === null) return strongest(new PlainBlock(interactions, pu, columns, draw, meter), columns, rank, rounds, omit);
  const factors = strongest(new KernelBlock(interactions, workspace, pu, columns, draw, meter), columns, rank, rounds, omit);
  workspace.releaseAfter(factors.vectors);
  return factors;
}

/** @param omit receives the number of products that a round does not need */
function strongest(block: VectorBlock, columns: number, rank: number, rounds: number, omit: (products: number) => void): Factorisation {
  let damping = noDamping;
  let products = 1;
  for (let round = 0; round < rounds; round++) {
    omit(mostDegrees(round) - damping.degree);
    products += damping.degree;
    for (const root of rootsOf(damping)) block.multiply(root);
    const range = block.orthonormalise();
    if (mostDegrees(round + 1) > noDamping.degree) damping = nextDamping(damping, range);
  }
  const ritz = symmetricEigen(block.ritzMatrix(), columns);
  const largestEigenvalue = ritz.values[0] as number;
  const eigenvalues = new Float64Array(rank);
  const rotation = new Float64Array(columns * rank);
  for (let k = 0; k < rank; k++) {
    const share = (ritz.values[k] as number) / largestEigenvalue;
    if (!(share > negligible)) continue;
    eigenvalues[k] = share;
    for (let row = 0; row < columns; row++) rotation[row * rank + k] = ritz.vectors[row * columns + k] as number;
  }
  return { rank, vectors: block.rotate(rotation, rank), eigenvalues, largestEigenvalue, products };
}
