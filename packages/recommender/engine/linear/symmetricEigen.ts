interface Eigen {
  /** Eigenvalues in descending order. */
  values: Float64Array;
  /** Row-major; column k is the eigenvector of `values[k]`. */
  vectors: Float64Array;
}

const maxSweeps = 60;

/**
 * Computes eigenvalues and eigenvectors of a small symmetric matrix by cyclic Jacobi rotations (Golub and Van Loan, 8.5). The
 * entry of largest magnitude of each eigenvector is positive, so that signs are unique.
 */
export function symmetricEigen(matrix: Float64Array, size: number): Eigen {
  const a = matrix.slice();
  // Row k is the k-th eigenvector, so that rotations access contiguous memory.
  const v = new Float64Array(size * size);
  for (let i = 0; i < size; i++) v[i * size + i] = 1;
  let total = 0;
  for (const value of a) total += value * value;
  for (let sweep = 0; sweep < maxSweeps && offDiagonal(a, size) > 1e-26 * total; sweep++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) rotate(a, v, size, p, q);
      // Rotations of p change column p as they change row p, and do not read it.
      for (let k = 0; k < size; k++) a[k * size + p] = a[p * size + k] as number;
    }
  }
  return sortEigen(a, v, size);
}

function offDiagonal(a: Float64Array, size: number): number {
  let sum = 0;
  for (let i = 0; i < size; i++) {
    for (let j = i + 1; j < size; j++) sum += (a[i * size + j] as number) ** 2;
  }
  return 2 * sum;
}

/** Rotates the rows p and q, and column q. */
function rotate(a: Float64Array, v: Float64Array, size: number, p: number, q: number): void {
  const apq = a[p * size + q] as number;
  const app = a[p * size + p] as number;
  const aqq = a[q * size + q] as number;
  if (Math.abs(apq) <= 1e-17 * Math.sqrt(Math.abs(app * aqq)) || apq === 0) return;
  const theta = (aqq - app) / (2 * apq);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  const rowP = p * size;
  const rowQ = q * size;
  for (let k = 0; k < size; k++) {
    const akp = a[rowP + k] as number;
    const akq = a[rowQ + k] as number;
    const newP = c * akp - s * akq;
    const newQ = s * akp + c * akq;
    a[rowP + k] = newP;
    a[rowQ + k] = newQ;
    a[k * size + q] = newQ;
    const vp = v[rowP + k] as number;
    const vq = v[rowQ + k] as number;
    v[rowP + k] = c * vp - s * vq;
    v[rowQ + k] = s * vp + c * vq;
  }
  a[rowP + p] = app - t * apq;
  a[rowQ + q] = aqq + t * apq;
  a[rowP + q] = 0;
  a[rowQ + p] = 0;
}

function sortEigen(a: Float64Array, v: Float64Array, size: number): Eigen {
  const diagonal = Float64Array.from({ length: size }, (_, i) => a[i * size + i] as number);
  const order = Array.from(diagonal.keys()).sort(
    (x, y) => (diagonal[y] as number) - (diagonal[x] as number) || x - y,
  );
  const values = new Float64Array(size);
  const vectors = new Float64Array(size * size);
  order.forEach((from, to) => {
    values[to] = diagonal[from] as number;
    const row = v.subarray(from * size, (from + 1) * size);
    let largest = 0;
    for (const entry of row) if (Math.abs(entry) > Math.abs(largest)) largest = entry;
    const sign = largest < 0 ? -1 : 1;
    for (let k = 0; k < size; k++) vectors[k * size + to] = sign * (row[k] as number);
  });
  return { values, vectors };
}
