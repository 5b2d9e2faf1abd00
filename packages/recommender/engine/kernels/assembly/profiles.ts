// AssemblyScript. Terms of the items that a user's history reaches. All addresses are bytes; arrays of one entry per item are read at the item.

/**
 * Lists the items without a mark, with `key = sums weight`.
 * @param touched,count items
 * @param marked integers, one per item
 * @param found one place more than items are listed
 * @returns number of items listed
 */
export function unmarkedKeys(touched: usize, count: usize, marked: usize, sums: usize, weight: usize, found: usize, key: usize): usize {
  let next: usize = 0;
  for (let n: usize = 0; n < count; n++) {
    const item = load<u32>(touched + 4 * n);
    const at = <usize>item << 2;
    store<u32>(found + 4 * next, item);
    store<f32>(key + 4 * next, load<f32>(sums + at) * load<f32>(weight + at));
    next += <usize>(load<i32>(marked + at) == 0);
  }
  return next;
}

/**
 * Takes `sums scale` of the first `best` items of `found`, then of the other touched items with a mark, which are appended to `found`; sets the sums of all touched
 * items to 0.
 * @param found,out one place more than items are listed
 * @returns number of items in `found`
 */
export function takeSums(
  found: usize, best: usize, touched: usize, count: usize, marked: usize, sums: usize, scale: usize, out: usize,
): usize {
  for (let n: usize = 0; n < best; n++) {
    const at = <usize>load<u32>(found + 4 * n) << 2;
    store<f32>(out + 4 * n, load<f32>(sums + at) * load<f32>(scale + at));
    store<f32>(sums + at, 0);
  }
  let next = best;
  for (let n: usize = 0; n < count; n++) {
    const item = load<u32>(touched + 4 * n);
    const at = <usize>item << 2;
    const sum = load<f32>(sums + at);
    store<f32>(sums + at, 0);
    store<u32>(found + 4 * next, item);
    store<f32>(out + 4 * next, sum * load<f32>(scale + at));
    // Sums of the best items are 0 by now.
    next += <usize>((sum != 0) & (load<i32>(marked + at) != 0));
  }
  return next;
}

/**
 * `out[n] = values of index[n]`, 0 for items without a value.
 * @param known,values,count items with their values
 * @param table floats, one per item, 0 before and afterwards
 */
export function valuesAt(known: usize, values: usize, count: usize, table: usize, index: usize, wanted: usize, out: usize): void {
  for (let n: usize = 0; n < count; n++) store<f32>(table + 4 * <usize>load<u32>(known + 4 * n), load<f32>(values + 4 * n));
  tableAt(table, index, wanted, out);
  for (let n: usize = 0; n < count; n++) store<f32>(table + 4 * <usize>load<u32>(known + 4 * n), 0);
}

/** `out[n] = table[index[n]]`. */
export function tableAt(table: usize, index: usize, count: usize, out: usize): void {
  for (let n: usize = 0; n < count; n++) store<f32>(out + 4 * n, load<f32>(table + 4 * <usize>load<u32>(index + 4 * n)));
}

/** `out[n] = values[place[index[n]]]`, 0 where the place is below 0. */
export function placedAt(place: usize, values: usize, index: usize, count: usize, out: usize): void {
  for (let n: usize = 0; n < count; n++) {
    const at = load<i32>(place + 4 * <usize>load<u32>(index + 4 * n));
    store<f32>(out + 4 * n, at < 0 ? 0 : load<f32>(values + 4 * <usize>max(at, 0)));
  }
}

/**
 * `out[n] = (spread[n] normal + high[n]) column[n] + weight low[n] root[n]`.
 * @param out with room for whole vectors, as all arrays
 */
export function profileScores(
  count: usize, spread: usize, high: usize, column: usize, low: usize, root: usize, normal: f32, weight: f32, out: usize,
): void {
  const normals = f32x4.splat(normal);
  const weights = f32x4.splat(weight);
  for (let n: usize = 0; n < 4 * count; n += 16) {
    const near = f32x4.mul(f32x4.add(f32x4.mul(v128.load(spread + n), normals), v128.load(high + n)), v128.load(column + n));
    v128.store(out + n, f32x4.add(near, f32x4.mul(f32x4.mul(weights, v128.load(low + n)), v128.load(root + n))));
  }
}

/** `out[n] += weight values[n]`. @param out with room for whole vectors, as `values` */
export function addScaled(count: usize, values: usize, weight: f32, out: usize): void {
  const weights = f32x4.splat(weight);
  for (let n: usize = 0; n < 4 * count; n += 16) v128.store(out + n, f32x4.add(v128.load(out + n), f32x4.mul(weights, v128.load(values + n))));
}
