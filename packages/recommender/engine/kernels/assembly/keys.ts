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
