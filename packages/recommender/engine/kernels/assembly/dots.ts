// AssemblyScript. Dot products of one or two queries with rows of a row-major float matrix. All addresses are bytes.

function sumLanes(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

/** Address of the n-th wanted row: that of `index[n]`, or row `n` itself where there is no index. */
function rowOf(matrix: usize, index: usize, n: usize, bytes: usize): usize {
  return matrix + bytes * (index == 0 ? n : <usize>load<u32>(index + 4 * n));
}

/**
 * `out[n] = query . row n` for `count` rows, four rows sharing each load of the query.
 * @param index which rows, 32-bit integers; 0 for the first `count` in sequence
 */
export function dotOne(query: usize, matrix: usize, index: usize, count: usize, columns: usize, out: usize): void {
  const bytes: usize = columns << 2;
  const whole: usize = bytes - (bytes & 15);
  for (let n: usize = 0; n < count; n += 4) {
    const last = count - 1;
    const a = rowOf(matrix, index, n, bytes);
    const b = rowOf(matrix, index, min(n + 1, last), bytes);
    const c = rowOf(matrix, index, min(n + 2, last), bytes);
    const d = rowOf(matrix, index, min(n + 3, last), bytes);
    let va = f32x4.splat(0);
    let vb = va;
    let vc = va;
    let vd = va;
    for (let k: usize = 0; k < whole; k += 16) {
      const q = v128.load(query + k);
      va = f32x4.add(va, f32x4.mul(q, v128.load(a + k)));
      vb = f32x4.add(vb, f32x4.mul(q, v128.load(b + k)));
      vc = f32x4.add(vc, f32x4.mul(q, v128.load(c + k)));
      vd = f32x4.add(vd, f32x4.mul(q, v128.load(d + k)));
    }
    let sa = sumLanes(va);
    let sb = sumLanes(vb);
    let sc = sumLanes(vc);
    let sd = sumLanes(vd);
    for (let k = whole; k < bytes; k += 4) {
      const q = load<f32>(query + k);
      sa += q * load<f32>(a + k);
      sb += q * load<f32>(b + k);
      sc += q * load<f32>(c + k);
      sd += q * load<f32>(d + k);
    }
    store<f32>(out + 4 * n, sa);
    if (n + 1 < count) store<f32>(out + 4 * n, sb, 4);
    if (n + 2 < count) store<f32>(out + 4 * n, sc, 8);
    if (n + 3 < count) store<f32>(out + 4 * n, sd, 12);
  }
}

/** The same for two queries, which share the loads of the rows. */
export function dotTwo(
  queryA: usize, queryB: usize, matrix: usize, index: usize, count: usize, columns: usize, outA: usize, outB: usize,
): void {
  const bytes: usize = columns << 2;
  const whole: usize = bytes - (bytes & 15);
  for (let n: usize = 0; n < count; n += 4) {
    const last = count - 1;
    const a = rowOf(matrix, index, n, bytes);
    const b = rowOf(matrix, index, min(n + 1, last), bytes);
    const c = rowOf(matrix, index, min(n + 2, last), bytes);
    const d = rowOf(matrix, index, min(n + 3, last), bytes);
    let va = f32x4.splat(0);
    let vb = va;
    let vc = va;
    let vd = va;
    let wa = va;
    let wb = va;
    let wc = va;
    let wd = va;
    for (let k: usize = 0; k < whole; k += 16) {
      const q = v128.load(queryA + k);
      const r = v128.load(queryB + k);
      const xa = v128.load(a + k);
      va = f32x4.add(va, f32x4.mul(q, xa));
      wa = f32x4.add(wa, f32x4.mul(r, xa));
      const xb = v128.load(b + k);
      vb = f32x4.add(vb, f32x4.mul(q, xb));
      wb = f32x4.add(wb, f32x4.mul(r, xb));
      const xc = v128.load(c + k);
      vc = f32x4.add(vc, f32x4.mul(q, xc));
      wc = f32x4.add(wc, f32x4.mul(r, xc));
      const xd = v128.load(d + k);
      vd = f32x4.add(vd, f32x4.mul(q, xd));
      wd = f32x4.add(wd, f32x4.mul(r, xd));
    }
    storeTwo(queryA, queryB, a, whole, bytes, va, wa, outA + 4 * n, outB + 4 * n);
    if (n + 1 < count) storeTwo(queryA, queryB, b, whole, bytes, vb, wb, outA + 4 * n + 4, outB + 4 * n + 4);
    if (n + 2 < count) storeTwo(queryA, queryB, c, whole, bytes, vc, wc, outA + 4 * n + 8, outB + 4 * n + 8);
    if (n + 3 < count) storeTwo(queryA, queryB, d, whole, bytes, vd, wd, outA + 4 * n + 12, outB + 4 * n + 12);
  }
}

function storeTwo(
  queryA: usize, queryB: usize, row: usize, whole: usize, bytes: usize, v: v128, w: v128, outA: usize, outB: usize,
): void {
  let a = sumLanes(v);
  let b = sumLanes(w);
  for (let k = whole; k < bytes; k += 4) {
    const x = load<f32>(row + k);
    a += load<f32>(queryA + k) * x;
    b += load<f32>(queryB + k) * x;
  }
  store<f32>(outA, a);
  store<f32>(outB, b);
}

/** The same for three queries, two rows at a time. */
export function dotThree(
  queryA: usize, queryB: usize, queryC: usize, matrix: usize, index: usize, count: usize, columns: usize, outA: usize,
  outB: usize, outC: usize,
): void {
  const bytes: usize = columns << 2;
  const whole: usize = bytes - (bytes & 15);
  for (let n: usize = 0; n < count; n += 2) {
    const a = rowOf(matrix, index, n, bytes);
    const b = rowOf(matrix, index, min(n + 1, count - 1), bytes);
    let va = f32x4.splat(0);
    let vb = va;
    let vc = va;
    let wa = va;
    let wb = va;
    let wc = va;
    for (let k: usize = 0; k < whole; k += 16) {
      const x = v128.load(a + k);
      const y = v128.load(b + k);
      const p = v128.load(queryA + k);
      va = f32x4.add(va, f32x4.mul(p, x));
      wa = f32x4.add(wa, f32x4.mul(p, y));
      const q = v128.load(queryB + k);
      vb = f32x4.add(vb, f32x4.mul(q, x));
      wb = f32x4.add(wb, f32x4.mul(q, y));
      const r = v128.load(queryC + k);
      vc = f32x4.add(vc, f32x4.mul(r, x));
      wc = f32x4.add(wc, f32x4.mul(r, y));
    }
    storeTwo(queryA, queryB, a, whole, bytes, va, vb, outA + 4 * n, outB + 4 * n);
    storeOne(queryC, a, whole, bytes, vc, outC + 4 * n);
    if (n + 1 < count) {
      storeTwo(queryA, queryB, b, whole, bytes, wa, wb, outA + 4 * n + 4, outB + 4 * n + 4);
      storeOne(queryC, b, whole, bytes, wc, outC + 4 * n + 4);
    }
  }
}

function storeOne(query: usize, row: usize, whole: usize, bytes: usize, v: v128, out: usize): void {
  let sum = sumLanes(v);
  for (let k = whole; k < bytes; k += 4) sum += load<f32>(query + k) * load<f32>(row + k);
  store<f32>(out, sum);
}
