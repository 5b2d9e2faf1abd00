// AssemblyScript. The keys by which a row's candidates are ordered. All addresses are bytes; arrays of one entry per item
// are read at `index[n]`, the others at `n`.

/** `key[n] = row (sums normal inverseRoot + damped) column + low plain root`, the formula of the user operator. */
export function operatorKeys(
  index: usize, count: usize, sums: usize, damped: usize, plain: usize, inverseRoot: usize, column: usize, root: usize,
  normal: f32, row: f32, low: f32, key: usize,
): void {
  for (let n: usize = 0; n < count; n++) {
    const other = <usize>load<u32>(index + 4 * n) << 2;
    const p = load<f32>(sums + 2 * other) * normal * load<f32>(inverseRoot + other);
    const near = row * (p + load<f32>(damped + 4 * n)) * load<f32>(column + other);
    store<f32>(key + 4 * n, near + low * load<f32>(plain + 4 * n) * load<f32>(root + other));
  }
}

/**
 * The keys of `count` consecutive items. Most of them have no common users: `key[n] = row damped column + low plain root`, with all
 * arrays read at `n`. The `touched` items have the key of `operatorKeys`.
 * @param key with room for whole vectors
 * @param place of each item of the catalogue, -1 or those from `first` on
 * @param inverseRoot one entry per item of the catalogue, as `sums` has two
 */
export function comparedKeys(
  count: usize, damped: usize, plain: usize, column: usize, root: usize, normal: f32, row: f32, low: f32, key: usize, touched: usize,
  touchedCount: usize, place: usize, first: i32, sums: usize, inverseRoot: usize,
): void {
  const rows = f32x4.splat(row);
  const lows = f32x4.splat(low);
  // A sum with 0, so that -0 becomes 0 as it does with a number of common users.
  const none = f32x4.splat(0);
  for (let n: usize = 0; n < count; n += 4) {
    const near = f32x4.mul(f32x4.mul(rows, f32x4.add(none, v128.load(damped + 4 * n))), v128.load(column + 4 * n));
    v128.store(key + 4 * n, f32x4.add(near, f32x4.mul(f32x4.mul(lows, v128.load(plain + 4 * n)), v128.load(root + 4 * n))));
  }
  for (let n: usize = 0; n < touchedCount; n++) {
    const other = <usize>load<u32>(touched + 4 * n) << 2;
    const at = load<i32>(place + other) - first;
    if (<u32>at >= <u32>count) continue;
    const own = <usize>at << 2;
    const p = load<f32>(sums + 2 * other) * normal * load<f32>(inverseRoot + other);
    const near = row * (p + load<f32>(damped + own)) * load<f32>(column + own);
    store<f32>(key + own, near + low * load<f32>(plain + own) * load<f32>(root + own));
  }
}

/**
 * `near = dot own inverseNorm`, `key = (seen sums column + expected min(1, max(0, term popularity)) + near) / 2`.
 * @param term 0 for none
 * @param near one entry per item, for the listed ones
 */
export function relatedKeys(
  index: usize, count: usize, sums: usize, dot: usize, inverseNorm: usize, own: f32, column: usize, seen: f32, term: usize,
  popularity: usize, expected: f32, scale: f32, near: usize, key: usize,
): void {
  for (let n: usize = 0; n < count; n++) {
    const other = <usize>load<u32>(index + 4 * n) << 2;
    const cosine = load<f32>(dot + 4 * n) * own * load<f32>(inverseNorm + other);
    let half = seen * load<f32>(sums + 2 * other) * load<f32>(column + other);
    if (term != 0) {
      const share = load<f32>(term + 4 * n) * scale * load<f32>(popularity + other);
      half += expected * min<f32>(1, max<f32>(0, share));
    }
    store<f32>(near + other, cosine);
    store<f32>(key + 4 * n, 0.5 * (half + cosine));
  }
}

/** The largest of `sums[2 index[n]] weight[index[n]]`, at least 0. */
export function largestSum(index: usize, count: usize, sums: usize, weight: usize): f32 {
  let largest: f32 = 0;
  for (let n: usize = 0; n < count; n++) {
    const other = <usize>load<u32>(index + 4 * n) << 2;
    largest = max(largest, load<f32>(sums + 2 * other) * load<f32>(weight + other));
  }
  return largest;
}
