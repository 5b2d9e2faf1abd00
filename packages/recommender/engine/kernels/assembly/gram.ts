// AssemblyScript. One row of the Gram matrix of a binary matrix whose rows have weights. All addresses are bytes.

/**
 * Adds the row of `item` to `sums`, pairs of floats per item: the sum of the weights of common users, and their number.
 * @param audiencePointer,audienceIndex users of each item; doubles and 32-bit integers
 * @param rowPointer,rowIndex items of each user
 * @param found items whose number was 0 are listed here, one place more than there are items
 * @returns how many those are
 */
export function gramRow(
  item: usize, audiencePointer: usize, audienceIndex: usize, rowPointer: usize, rowIndex: usize, userWeight: usize,
  sums: usize, found: usize,
): usize {
  const last = audienceIndex + 4 * <usize>load<f64>(audiencePointer + 8 * item + 8);
  let next = found;
  for (let place = audienceIndex + 4 * <usize>load<f64>(audiencePointer + 8 * item); place < last; place += 4) {
    const user = <usize>load<u32>(place);
    const addend = f32x4.replace_lane(f32x4.splat(1), 0, load<f32>(userWeight + 4 * user));
    const end = rowIndex + 4 * <usize>load<f64>(rowPointer + 8 * user + 8);
    for (let entry = rowIndex + 4 * <usize>load<f64>(rowPointer + 8 * user); entry < end; entry += 4) {
      const other = load<u32>(entry);
      const both = sums + 8 * <usize>other;
      store<u32>(next, other);
      next += <usize>(load<u32>(both, 4) == 0) << 2;
      v128.store64_lane(both, f32x4.add(v128.load64_zero(both), addend), 0);
    }
  }
  return (next - found) >> 2;
}

/** `key[n] = sums[2 index[n]] weight[index[n]]`. */
export function weighSums(index: usize, count: usize, sums: usize, weight: usize, key: usize): void {
  for (let n: usize = 0; n < count; n++) {
    const other = <usize>load<u32>(index + 4 * n);
    store<f32>(key + 4 * n, load<f32>(sums + 8 * other) * load<f32>(weight + 4 * other));
  }
}

/** Sets the sums of the listed items to 0. */
export function clearSums(index: usize, count: usize, sums: usize): void {
  for (let n: usize = 0; n < count; n++) store<u64>(sums + 8 * <usize>load<u32>(index + 4 * n), 0);
}
