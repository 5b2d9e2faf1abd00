import type { SingularRange } from '../linear/choleskyQr.ts';

const highestDegree = 4;
/**
 * Maximum ratio by which a polynomial raises the strongest direction above the unwanted directions. The vectors have single precision, so with a larger
 * ratio, rounding of the strongest directions would hide the weaker ones.
 */
const largestRatio = 1000;

/**
 * Polynomial of A that the subspace iteration applies in one round: the Chebyshev polynomial of the interval from 0 to twice `middle`, which is flat in the
 * interval and steep above it (Zhou and Saad 2007). Powers of A separate the eigenvalues of sparse data too slowly: with four powers, a sparse
 * shop loses 4 to 8 % of recall@20. Eigenvalues of dense data lie far apart, and get a low degree.
 */
export interface Damping {
  degree: number;
  /** 0 for A itself. */
  middle: number;
}

export const noDamping: Damping = { degree: 1, middle: 0 };
/** Rounds without damping: the first multiplies vectors that are not orthonormal, which tell nothing about eigenvalues; the second finds the range. */
const undampedRounds = 2;

/** Maximum degree of the polynomial of a round, counted from 0. */
export function mostDegrees(round: number): number {
  return round < undampedRounds ? noDamping.degree : highestDegree;
}

/** The numbers r for which the polynomial is the product of all `A - r`. */
export function rootsOf({ degree, middle }: Damping): readonly number[] {
  return Array.from({ length: degree }, (_, k) => middle * (1 + Math.cos(((2 * k + 1) * Math.PI) / (2 * degree))));
}

/**
 * The polynomial of the next round, which damps eigenvalues below the smallest one of the block.
 * @param damping polynomial p of the last round, which was applied to orthonormal vectors V
 * @param range singular values of `p(A) V`
 */
export function nextDamping(damping: Damping, range: SingularRange): Damping {
  const middle = eigenvalueAt(damping, range.smallest) / 2;
  if (!(middle > 0)) return noDamping;
  const strongest = Math.acosh(Math.max(1, eigenvalueAt(damping, range.largest) / middle - 1));
  const degree = Math.min(highestDegree, Math.floor(Math.acosh(largestRatio) / Math.max(strongest, Number.MIN_VALUE)));
  return degree < 1 ? noDamping : { degree, middle };
}

/** The eigenvalue above the damped interval for which the polynomial has a value; for smaller values the end of the interval. */
function eigenvalueAt({ degree, middle }: Damping, value: number): number {
  if (middle === 0) return value;
  const chebyshev = (value * 2 ** (degree - 1)) / middle ** degree;
  return middle * (1 + Math.cosh(Math.acosh(Math.max(1, chebyshev)) / degree));
}
