// AssemblyScript. Vectors as rows of 16-bit whole numbers, each row with a step that its numbers are multiplied with, and
// dot products of up to three of them with many. All addresses are bytes; a row has a multiple of 16 of them.

/** `quantisedRows.ts` has the numbers and what follows from them. */
const longest: f64 = 46000;
const largest: f64 = 32767;

/**
 * Writes a row: `values[k] weight[k]` in multiples of its step.
 * @param weight 0 for ones
 * @param step where the step goes
 */
export function quantiseRow(values: usize, weight: usize, columns: usize, row: usize, step: usize): void {
  let squares = f64x2.splat(0);
  let most = f64x2.splat(0);
  const paired = columns & ~1;
  for (let k: usize = 0; k < paired; k += 2) {
    const x = pairAt(values, weight, k);
    squares = f64x2.add(squares, f64x2.mul(x, x));
    most = f64x2.pmax(most, f64x2.abs(x));
  }
  let even = f64x2.extract_lane(squares, 0);
  let peak = max(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1));
  const last = paired < columns ? entryAt(values, weight, paired) : 0;
  even += last * last;
  peak = max(peak, abs(last));
  const factor = peak == 0 ? 0 : min(largest / peak, longest / sqrt(even + f64x2.extract_lane(squares, 1)));
  store<f32>(step, peak == 0 ? 0 : <f32>(1 / factor));
  for (let k: usize = 0; k < paired; k += 2) {
    const scaled = f64x2.add(f64x2.mul(pairAt(values, weight, k), f64x2.splat(factor)), f64x2.splat(0.5));
    const whole = i32x4.trunc_sat_f64x2_s_zero(f64x2.floor(scaled));
    v128.store_lane<u32>(row + 2 * k, i16x8.narrow_i32x4_s(whole, whole), 0);
  }
  if (paired < columns) store<i16>(row + 2 * paired, <i16><i32>floor(last * factor + 0.5));
}

function entryAt(values: usize, weight: usize, k: usize): f64 {
  const value = <f64>load<f32>(values + 4 * k);
  return weight == 0 ? value : value * <f64>load<f32>(weight + 4 * k);
}

function pairAt(values: usize, weight: usize, k: usize): v128 {
  const pair = f64x2.promote_low_f32x4(v128.load64_zero(values + 4 * k));
  return weight == 0 ? pair : f64x2.mul(pair, f64x2.promote_low_f32x4(v128.load64_zero(weight + 4 * k)));
}

/** Number of the n-th wanted row: `index[n]`, or `first + n` where there is no index. */
function rowAt(index: usize, first: usize, n: usize): usize {
  return index == 0 ? first + n : <usize>load<u32>(index + 4 * n);
}

/** Rows that are read ahead. */
const ahead: usize = 16;

/**
 * Reads a word of each cache line of the next rows, `n` and those behind it, at once: what a list wants lies anywhere in
 * more memory than the caches have, so that a row of 512 bytes after the other waits five times as long.
 */
function readAhead(matrix: usize, steps: usize, index: usize, n: usize, count: usize, bytes: usize): void {
  const end = min(n + ahead, count);
  for (; n < end; n++) {
    const at = <usize>load<u32>(index + 4 * n);
    const row = matrix + at * bytes;
    load<f32>(steps + 4 * at);
    for (let k: usize = 0; k < bytes; k += 64) load<u32>(row + k);
  }
}

/** The sums of the lanes of four vectors. */
export function sumLanes(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(i32x4.shuffle(a, b, 0, 4, 1, 5), i32x4.shuffle(a, b, 2, 6, 3, 7));
  const cd = i32x4.add(i32x4.shuffle(c, d, 0, 4, 1, 5), i32x4.shuffle(c, d, 2, 6, 3, 7));
  return i32x4.add(i32x4.shuffle(ab, cd, 0, 1, 4, 5), i32x4.shuffle(ab, cd, 2, 3, 6, 7));
}

/**
 * `out[n] = query . row n` for `count` rows, four rows sharing each load of the query.
 * @param query its row, and behind that nothing that counts; its step is at `querySteps`
 * @param index which rows, 32-bit integers; 0 for those from `first` on
 * @param bytes of a row
 */
export function dotOne(
  query: usize, querySteps: usize, matrix: usize, steps: usize, index: usize, first: usize, count: usize, bytes: usize, out: usize,
): void {
  const step = v128.load_splat<f32>(querySteps);
  const last = count - 1;
  for (let n: usize = 0; n < count; n += 4) {
    if (index != 0 && n % ahead == 0) readAhead(matrix, steps, index, n, count, bytes);
    const rowA = rowAt(index, first, n);
    const rowB = rowAt(index, first, min(n + 1, last));
    const rowC = rowAt(index, first, min(n + 2, last));
    const rowD = rowAt(index, first, min(n + 3, last));
    const a = matrix + rowA * bytes;
    const b = matrix + rowB * bytes;
    const c = matrix + rowC * bytes;
    const d = matrix + rowD * bytes;
    let va = i32x4.splat(0);
    let vb = va;
    let vc = va;
    let vd = va;
    let k: usize = 0;
    // Four vectors at a time, as the offset of a load costs nothing: .83 of the time of one at a time.
    for (; k + 64 <= bytes; k += 64) {
      const q0 = v128.load(query + k, 0);
      va = i32x4.add(va, i32x4.dot_i16x8_s(q0, v128.load(a + k, 0)));
      vb = i32x4.add(vb, i32x4.dot_i16x8_s(q0, v128.load(b + k, 0)));
      vc = i32x4.add(vc, i32x4.dot_i16x8_s(q0, v128.load(c + k, 0)));
      vd = i32x4.add(vd, i32x4.dot_i16x8_s(q0, v128.load(d + k, 0)));
      const q1 = v128.load(query + k, 16);
      va = i32x4.add(va, i32x4.dot_i16x8_s(q1, v128.load(a + k, 16)));
      vb = i32x4.add(vb, i32x4.dot_i16x8_s(q1, v128.load(b + k, 16)));
      vc = i32x4.add(vc, i32x4.dot_i16x8_s(q1, v128.load(c + k, 16)));
      vd = i32x4.add(vd, i32x4.dot_i16x8_s(q1, v128.load(d + k, 16)));
      const q2 = v128.load(query + k, 32);
      va = i32x4.add(va, i32x4.dot_i16x8_s(q2, v128.load(a + k, 32)));
      vb = i32x4.add(vb, i32x4.dot_i16x8_s(q2, v128.load(b + k, 32)));
      vc = i32x4.add(vc, i32x4.dot_i16x8_s(q2, v128.load(c + k, 32)));
      vd = i32x4.add(vd, i32x4.dot_i16x8_s(q2, v128.load(d + k, 32)));
      const q3 = v128.load(query + k, 48);
      va = i32x4.add(va, i32x4.dot_i16x8_s(q3, v128.load(a + k, 48)));
      vb = i32x4.add(vb, i32x4.dot_i16x8_s(q3, v128.load(b + k, 48)));
      vc = i32x4.add(vc, i32x4.dot_i16x8_s(q3, v128.load(c + k, 48)));
      vd = i32x4.add(vd, i32x4.dot_i16x8_s(q3, v128.load(d + k, 48)));
    }
    for (; k < bytes; k += 16) {
      const q = v128.load(query + k);
      va = i32x4.add(va, i32x4.dot_i16x8_s(q, v128.load(a + k)));
      vb = i32x4.add(vb, i32x4.dot_i16x8_s(q, v128.load(b + k)));
      vc = i32x4.add(vc, i32x4.dot_i16x8_s(q, v128.load(c + k)));
      vd = i32x4.add(vd, i32x4.dot_i16x8_s(q, v128.load(d + k)));
    }
    let own = v128.load_splat<f32>(steps + 4 * rowA);
    own = v128.load_lane<f32>(steps + 4 * rowB, own, 1);
    own = v128.load_lane<f32>(steps + 4 * rowC, own, 2);
    own = v128.load_lane<f32>(steps + 4 * rowD, own, 3);
    const sums = f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(sumLanes(va, vb, vc, vd)), step), own);
    const place = out + 4 * n;
    if (n + 3 < count) {
      v128.store(place, sums);
    } else {
      v128.store_lane<f32>(place, sums, 0);
      if (n + 1 < count) v128.store_lane<f32>(place, sums, 1, 4);
      if (n + 2 < count) v128.store_lane<f32>(place, sums, 2, 8);
    }
  }
}

/** The same for two queries, one behind the other, as their steps are; two rows at a time. */
export function dotTwo(
  query: usize, querySteps: usize, matrix: usize, steps: usize, index: usize, first: usize, count: usize, bytes: usize,
  queryBytes: usize, outA: usize, outB: usize,
): void {
  const other = query + queryBytes;
  for (let n: usize = 0; n < count; n += 2) {
    if (index != 0 && n % ahead == 0) readAhead(matrix, steps, index, n, count, bytes);
    const rowA = rowAt(index, first, n);
    const rowB = rowAt(index, first, min(n + 1, count - 1));
    const a = matrix + rowA * bytes;
    const b = matrix + rowB * bytes;
    let va = i32x4.splat(0);
    let vb = va;
    let wa = va;
    let wb = va;
    for (let k: usize = 0; k < bytes; k += 16) {
      const x = v128.load(a + k);
      const y = v128.load(b + k);
      const p = v128.load(query + k);
      va = i32x4.add(va, i32x4.dot_i16x8_s(p, x));
      vb = i32x4.add(vb, i32x4.dot_i16x8_s(p, y));
      const q = v128.load(other + k);
      wa = i32x4.add(wa, i32x4.dot_i16x8_s(q, x));
      wb = i32x4.add(wb, i32x4.dot_i16x8_s(q, y));
    }
    storeTwo(va, vb, wa, wb, querySteps, steps + 4 * rowA, steps + 4 * rowB, outA + 4 * n, outB + 4 * n, n + 1 < count);
  }
}

/** The same for three. */
export function dotThree(
  query: usize, querySteps: usize, matrix: usize, steps: usize, index: usize, first: usize, count: usize, bytes: usize,
  queryBytes: usize, outA: usize, outB: usize, outC: usize,
): void {
  const other = query + queryBytes;
  const third = other + queryBytes;
  const thirdStep = v128.load_splat<f32>(querySteps, 8);
  for (let n: usize = 0; n < count; n += 2) {
    if (index != 0 && n % ahead == 0) readAhead(matrix, steps, index, n, count, bytes);
    const rowA = rowAt(index, first, n);
    const rowB = rowAt(index, first, min(n + 1, count - 1));
    const a = matrix + rowA * bytes;
    const b = matrix + rowB * bytes;
    let va = i32x4.splat(0);
    let vb = va;
    let wa = va;
    let wb = va;
    let za = va;
    let zb = va;
    for (let k: usize = 0; k < bytes; k += 16) {
      const x = v128.load(a + k);
      const y = v128.load(b + k);
      const p = v128.load(query + k);
      va = i32x4.add(va, i32x4.dot_i16x8_s(p, x));
      vb = i32x4.add(vb, i32x4.dot_i16x8_s(p, y));
      const q = v128.load(other + k);
      wa = i32x4.add(wa, i32x4.dot_i16x8_s(q, x));
      wb = i32x4.add(wb, i32x4.dot_i16x8_s(q, y));
      const r = v128.load(third + k);
      za = i32x4.add(za, i32x4.dot_i16x8_s(r, x));
      zb = i32x4.add(zb, i32x4.dot_i16x8_s(r, y));
    }
    const whole = n + 1 < count;
    const own = storeTwo(va, vb, wa, wb, querySteps, steps + 4 * rowA, steps + 4 * rowB, outA + 4 * n, outB + 4 * n, whole);
    const sums = f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(sumLanes(za, zb, za, zb)), thirdStep), own);
    if (whole) v128.store_lane<u64>(outC + 4 * n, sums, 0);
    else v128.store_lane<f32>(outC + 4 * n, sums, 0);
  }
}

/** Stores the products of two queries (v, w) with two rows (a, b), or with the first of them; returns the steps of the rows. */
function storeTwo(
  va: v128, vb: v128, wa: v128, wb: v128, querySteps: usize, stepA: usize, stepB: usize, outA: usize, outB: usize, whole: bool,
): v128 {
  const pair = v128.load32_zero(stepA);
  const both = v128.load_lane<f32>(stepB, pair, 1);
  const own = i32x4.shuffle(both, both, 0, 1, 0, 1);
  const queries = v128.load64_zero(querySteps);
  const step = i32x4.shuffle(queries, queries, 0, 0, 1, 1);
  const sums = f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(sumLanes(va, vb, wa, wb)), step), own);
  if (whole) {
    v128.store_lane<u64>(outA, sums, 0);
    v128.store_lane<u64>(outB, sums, 1);
  } else {
    v128.store_lane<f32>(outA, sums, 0);
    v128.store_lane<f32>(outB, sums, 2);
  }
  return own;
}
