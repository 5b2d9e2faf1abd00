// AssemblyScript. Conjugate gradients for the vectors of alternating least squares (ridge/leastSquares.ts). panels.ts says what a panel is; the
// panels of a block follow each other. All addresses are bytes.
import { rowBytes } from './panelSize';

/**
 * Improves the vectors `first` to `last`: each approaches the solution of `(G + (c - 1) Y_u^T Y_u) x = c Y_u^T 1` with the vectors Y of the other side.
 * @param vectors,others blocks of `panels` panels with `rows` and `otherRows` rows
 * @param gram G, row-major, 32 * panels rows and columns of floats
 * @param pointer,index rows of Y in each `Y_u`; doubles and 32-bit integers
 * @param confidence c
 * @param scratch 512 bytes per panel
 */
export function improveVectors(
  vectors: usize, rows: usize, others: usize, otherRows: usize, panels: usize, gram: usize, pointer: usize, index: usize,
  first: usize, last: usize, confidence: f32, steps: usize, scratch: usize,
): void {
  const bytes = panels * rowBytes;
  const x = scratch;
  const residual = x + bytes;
  const direction = residual + bytes;
  const product = direction + bytes;
  for (let row = first; row < last; row++) {
    const start = index + 4 * <usize>load<f64>(pointer + 8 * row);
    const end = index + 4 * <usize>load<f64>(pointer + 8 * row + 8);
    for (let panel: usize = 0; panel < panels; panel++) memory.copy(x + panel * rowBytes, vectors + (panel * rows + row) * rowBytes, rowBytes);
    if (start == end) memory.fill(x, 0, bytes);
    else {
      multiply(gram, x, bytes, product);
      for (let k: usize = 0; k < bytes; k += 16) v128.store(residual + k, f32x4.neg(v128.load(product + k)));
      addTerms(start, end, others, otherRows, panels, x, 1 - confidence, confidence, residual);
      memory.copy(direction, residual, bytes);
      let squared = dot(residual, residual, bytes);
      for (let step: usize = 0; step < steps && squared > f32.MIN_NORMAL_VALUE; step++) {
        multiply(gram, direction, bytes, product);
        addTerms(start, end, others, otherRows, panels, direction, confidence - 1, 0, product);
        const length = squared / dot(direction, product, bytes);
        addTo(x, direction, length, bytes);
        addTo(residual, product, -length, bytes);
        const next = dot(residual, residual, bytes);
        const share = f32x4.splat(next / squared);
        for (let k: usize = 0; k < bytes; k += 16) {
          v128.store(direction + k, f32x4.add(v128.load(residual + k), f32x4.mul(share, v128.load(direction + k))));
        }
        squared = next;
      }
    }
    for (let panel: usize = 0; panel < panels; panel++) memory.copy(vectors + (panel * rows + row) * rowBytes, x + panel * rowBytes, rowBytes);
  }
}

/** `out = gram given` for a symmetric matrix: sums of its rows, 32 columns at a time. */
function multiply(gram: usize, given: usize, bytes: usize, out: usize): void {
  for (let column: usize = 0; column < bytes; column += rowBytes) {
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let s4 = s0;
    let s5 = s0;
    let s6 = s0;
    let s7 = s0;
    let row = gram + column;
    for (let k: usize = 0; k < bytes; k += 4) {
      const factor = v128.load_splat<f32>(given + k);
      s0 = f32x4.add(s0, f32x4.mul(factor, v128.load(row, 0)));
      s1 = f32x4.add(s1, f32x4.mul(factor, v128.load(row, 16)));
      s2 = f32x4.add(s2, f32x4.mul(factor, v128.load(row, 32)));
      s3 = f32x4.add(s3, f32x4.mul(factor, v128.load(row, 48)));
      s4 = f32x4.add(s4, f32x4.mul(factor, v128.load(row, 64)));
      s5 = f32x4.add(s5, f32x4.mul(factor, v128.load(row, 80)));
      s6 = f32x4.add(s6, f32x4.mul(factor, v128.load(row, 96)));
      s7 = f32x4.add(s7, f32x4.mul(factor, v128.load(row, 112)));
      row += bytes;
    }
    const to = out + column;
    v128.store(to, s0, 0);
    v128.store(to, s1, 16);
    v128.store(to, s2, 32);
    v128.store(to, s3, 48);
    v128.store(to, s4, 64);
    v128.store(to, s5, 80);
    v128.store(to, s6, 96);
    v128.store(to, s7, 112);
  }
}

/** `out += sum of Y_i (constant + factor Y_i . given)` over the listed rows. */
function addTerms(
  start: usize, end: usize, others: usize, otherRows: usize, panels: usize, given: usize, factor: f32, constant: f32, out: usize,
): void {
  const distance = otherRows * rowBytes;
  for (let entry = start; entry < end; entry += 4) {
    const row = others + rowBytes * <usize>load<u32>(entry);
    let product: f32 = 0;
    for (let panel: usize = 0; panel < panels; panel++) product += dot(row + panel * distance, given + panel * rowBytes, rowBytes);
    const weight = constant + factor * product;
    for (let panel: usize = 0; panel < panels; panel++) addTo(out + panel * rowBytes, row + panel * distance, weight, rowBytes);
  }
}

/** Scalar product of vectors whose bytes are a multiple of 32. */
function dot(a: usize, b: usize, bytes: usize): f32 {
  let s0 = f32x4.splat(0);
  let s1 = s0;
  for (let k: usize = 0; k < bytes; k += 32) {
    s0 = f32x4.add(s0, f32x4.mul(v128.load(a + k, 0), v128.load(b + k, 0)));
    s1 = f32x4.add(s1, f32x4.mul(v128.load(a + k, 16), v128.load(b + k, 16)));
  }
  const sum = f32x4.add(s0, s1);
  return (f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1)) + (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3));
}

/** `out += weight vector`. */
function addTo(out: usize, vector: usize, weight: f32, bytes: usize): void {
  const factor = f32x4.splat(weight);
  for (let k: usize = 0; k < bytes; k += 16) v128.store(out + k, f32x4.add(v128.load(out + k), f32x4.mul(factor, v128.load(vector + k))));
}
