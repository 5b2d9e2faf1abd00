/** The block V of vectors (items × columns) that subspace iteration works on, and `A = X^T X` that it is applied to. */
export interface VectorBlock {
  /** `V = A V`. */
  multiply(): void;
  /** Makes the columns of V orthonormal; those that depend on others become zero. */
  orthonormalise(): void;
  /** `V^T A V`, columns × columns; V may be used with `rotate` alone afterwards. */
  ritzMatrix(): Float64Array;
  /** `V rotation` for a row-major columns × rank matrix; items × rank, row-major. V may not be used afterwards. */
  rotate(rotation: Float64Array, rank: number): Float32Array;
}
