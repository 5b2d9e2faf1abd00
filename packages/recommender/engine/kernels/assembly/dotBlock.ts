// AssemblyScript. Dot products of several vectors with the same consecutive rows, see dots.ts.
import { sumLanes } from './dots';

/** Rows of a part, which all queries are multiplied with before the next part: 64 rows of 512 bytes fit in the first cache. */
const partRows: usize = 64;

/**
 * `out[q][n] = query q . row n` for `count` rows. Two queries and four rows at a time share their loads, and the 32-bit sums are exact, so that the
 * results are those of `dotOne`.
 * @param queries rows of `queryBytes` bytes, one after the other as their steps are; of an odd number, the last one is computed twice
 * @param bytes of a row of the matrix
 * @param out `count` products of the first query; those of the next one begin `outBytes` behind
 */
export function dotBlock(
  queries: usize, querySteps: usize, queryCount: usize, queryBytes: usize, matrix: usize, steps: usize, count: usize, bytes: usize,
  out: usize, outBytes: usize,
): void {
  for (let from: usize = 0; from < count; from += partRows) {
    const end = min(from + partRows, count);
    for (let q: usize = 0; q < queryCount; q += 2) {
      const other = min(q + 1, queryCount - 1);
      multiplyTwo(
        queries + q * queryBytes, queries + other * queryBytes, v128.load_splat<f32>(querySteps + 4 * q), v128.load_splat<f32>(querySteps + 4 * other),
        matrix, steps, from, end, bytes, out + q * outBytes, out + other * outBytes,
      );
    }
  }
}

function multiplyTwo(
  query: usize, other: usize, queryStep: v128, otherStep: v128, matrix: usize, steps: usize, from: usize, end: usize, bytes: usize,
  out: usize, otherOut: usize,
): void {
  const last = end - 1;
  for (let n = from; n < end; n += 4) {
    const rowB = min(n + 1, last);
    const rowC = min(n + 2, last);
    const rowD = min(n + 3, last);
    const a = matrix + n * bytes;
    const b = matrix + rowB * bytes;
    const c = matrix + rowC * bytes;
    const d = matrix + rowD * bytes;
    let pa = i32x4.splat(0);
    let pb = pa;
    let pc = pa;
    let pd = pa;
    let qa = pa;
    let qb = pa;
    let qc = pa;
    let qd = pa;
    let k: usize = 0;
    for (; k + 32 <= bytes; k += 32) {
      const p0 = v128.load(query + k, 0);
      const q0 = v128.load(other + k, 0);
      const a0 = v128.load(a + k, 0);
      pa = i32x4.add(pa, i32x4.dot_i16x8_s(p0, a0));
      qa = i32x4.add(qa, i32x4.dot_i16x8_s(q0, a0));
      const b0 = v128.load(b + k, 0);
      pb = i32x4.add(pb, i32x4.dot_i16x8_s(p0, b0));
      qb = i32x4.add(qb, i32x4.dot_i16x8_s(q0, b0));
      const c0 = v128.load(c + k, 0);
      pc = i32x4.add(pc, i32x4.dot_i16x8_s(p0, c0));
      qc = i32x4.add(qc, i32x4.dot_i16x8_s(q0, c0));
      const d0 = v128.load(d + k, 0);
      pd = i32x4.add(pd, i32x4.dot_i16x8_s(p0, d0));
      qd = i32x4.add(qd, i32x4.dot_i16x8_s(q0, d0));
      const p1 = v128.load(query + k, 16);
      const q1 = v128.load(other + k, 16);
      const a1 = v128.load(a + k, 16);
      pa = i32x4.add(pa, i32x4.dot_i16x8_s(p1, a1));
      qa = i32x4.add(qa, i32x4.dot_i16x8_s(q1, a1));
      const b1 = v128.load(b + k, 16);
      pb = i32x4.add(pb, i32x4.dot_i16x8_s(p1, b1));
      qb = i32x4.add(qb, i32x4.dot_i16x8_s(q1, b1));
      const c1 = v128.load(c + k, 16);
      pc = i32x4.add(pc, i32x4.dot_i16x8_s(p1, c1));
      qc = i32x4.add(qc, i32x4.dot_i16x8_s(q1, c1));
      const d1 = v128.load(d + k, 16);
      pd = i32x4.add(pd, i32x4.dot_i16x8_s(p1, d1));
      qd = i32x4.add(qd, i32x4.dot_i16x8_s(q1, d1));
    }
    if (k < bytes) {
      const p = v128.load(query + k);
      const q = v128.load(other + k);
      const x = v128.load(a + k);
      pa = i32x4.add(pa, i32x4.dot_i16x8_s(p, x));
      qa = i32x4.add(qa, i32x4.dot_i16x8_s(q, x));
      const y = v128.load(b + k);
      pb = i32x4.add(pb, i32x4.dot_i16x8_s(p, y));
      qb = i32x4.add(qb, i32x4.dot_i16x8_s(q, y));
      const z = v128.load(c + k);
      pc = i32x4.add(pc, i32x4.dot_i16x8_s(p, z));
      qc = i32x4.add(qc, i32x4.dot_i16x8_s(q, z));
      const w = v128.load(d + k);
      pd = i32x4.add(pd, i32x4.dot_i16x8_s(p, w));
      qd = i32x4.add(qd, i32x4.dot_i16x8_s(q, w));
    }
    let own = v128.load_splat<f32>(steps + 4 * n);
    own = v128.load_lane<f32>(steps + 4 * rowB, own, 1);
    own = v128.load_lane<f32>(steps + 4 * rowC, own, 2);
    own = v128.load_lane<f32>(steps + 4 * rowD, own, 3);
    storeFour(sumLanes(pa, pb, pc, pd), queryStep, own, out + 4 * n, end - n);
    storeFour(sumLanes(qa, qb, qc, qd), otherStep, own, otherOut + 4 * n, end - n);
  }
}

/** Stores the first `left` of four products. */
function storeFour(whole: v128, queryStep: v128, own: v128, place: usize, left: usize): void {
  const products = f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(whole), queryStep), own);
  if (left > 3) {
    v128.store(place, products);
    return;
  }
  v128.store_lane<f32>(place, products, 0);
  if (left > 1) v128.store_lane<f32>(place, products, 1, 4);
  if (left > 2) v128.store_lane<f32>(place, products, 2, 8);
}
