import type { SingularRange } from '../linear/choleskyQr.ts';

/** The block V of vectors (items × columns) that the subspace iteration multiplies by `A = X^T X`. */
export interface VectorBlock {
  /** Replaces V by `A V - root V`. */
  multiply(root: number): void;
  /**
   * Makes the columns of V orthonormal; columns that depend linearly on other columns become zero.
   * @returns the singular values of V before
   */
  orthonormalise(): SingularRange;
  /** Returns `V^T A V`, columns × columns. After this call, only `rotate` may use V. */
  ritzMatrix(): Float64Array;
  /**
   * Returns `V rotation`, items × rank, row-major. V may not be used afterwards.
   * @param rotation columns × rank, row-major
   */
  rotate(rotation: Float64Array, rank: number): Float32Array;
}
