// AssemblyScript. What the items of a history give together. All addresses are bytes.

/**
 * Adds the weights of a history to the users of its items, and the sums of these users to the sums of their items.
 * @param weights floats, one per item of the history; items with weight 0 are left out
 * @param audiencePointer,audienceIndex users of each item; doubles and 32-bit integers
 * @param rowPointer,rowIndex items of each user
 * @param userSums floats, 0 before and afterwards
 * @param users,found the users and items whose sum was 0 are listed here, one place more than there are users and items
 * @param sums floats, one per item
 * @param counts receives the number of users listed and the number of additions, as integers
 * @returns number of items listed
 */
export function spreadHistory(
  items: usize, weights: usize, count: usize, audiencePointer: usize, audienceIndex: usize, rowPointer: usize, rowIndex: usize,
  userWeight: usize, userSums: usize, users: usize, counts: usize, sums: usize, found: usize,
): usize {
  let nextUser = users;
  for (let n: usize = 0; n < count; n++) {
    const weight = load<f32>(weights + 4 * n);
    if (weight == 0) continue;
    const item = <usize>load<u32>(items + 4 * n);
    const end = audienceIndex + 4 * <usize>load<f64>(audiencePointer + 8 * item + 8);
    for (let place = audienceIndex + 4 * <usize>load<f64>(audiencePointer + 8 * item); place < end; place += 4) {
      const user = load<u32>(place);
      const at = userSums + 4 * <usize>user;
      const before = load<f32>(at);
      store<u32>(nextUser, user);
      nextUser += <usize>(before == 0) << 2;
      store<f32>(at, before + weight);
    }
  }
  let bytes: usize = 0;
  let next = found;
  for (let place = users; place < nextUser; place += 4) {
    const user = <usize>load<u32>(place);
    const weight = load<f32>(userSums + 4 * user) * load<f32>(userWeight + 4 * user);
    store<f32>(userSums + 4 * user, 0);
    const end = rowIndex + 4 * <usize>load<f64>(rowPointer + 8 * user + 8);
    const start = rowIndex + 4 * <usize>load<f64>(rowPointer + 8 * user);
    bytes += end - start;
    for (let entry = start; entry < end; entry += 4) {
      const item = load<u32>(entry);
      const at = sums + 4 * <usize>item;
      const before = load<f32>(at);
      store<u32>(next, item);
      next += <usize>(before == 0) << 2;
      store<f32>(at, before + weight);
    }
  }
  const reached = (nextUser - users) >> 2;
  store<u32>(counts, <u32>reached);
  store<u32>(counts, <u32>(reached + (bytes >> 2)), 4);
  return (next - found) >> 2;
}

/**
 * `out += sum of weight[n] row index[n]`, four rows at a time.
 * @param rowBytes a multiple of 4
 */
export function addRows(index: usize, weights: usize, count: usize, matrix: usize, rowBytes: usize, out: usize): void {
  const whole = rowBytes & ~15;
  let n: usize = 0;
  for (; n + 4 <= count; n += 4) {
    const a = matrix + rowBytes * <usize>load<u32>(index + 4 * n, 0);
    const b = matrix + rowBytes * <usize>load<u32>(index + 4 * n, 4);
    const c = matrix + rowBytes * <usize>load<u32>(index + 4 * n, 8);
    const d = matrix + rowBytes * <usize>load<u32>(index + 4 * n, 12);
    const p = v128.load_splat<f32>(weights + 4 * n, 0);
    const q = v128.load_splat<f32>(weights + 4 * n, 4);
    const r = v128.load_splat<f32>(weights + 4 * n, 8);
    const s = v128.load_splat<f32>(weights + 4 * n, 12);
    for (let k: usize = 0; k < whole; k += 16) {
      let sum = f32x4.add(v128.load(out + k), f32x4.mul(p, v128.load(a + k)));
      sum = f32x4.add(sum, f32x4.mul(q, v128.load(b + k)));
      sum = f32x4.add(sum, f32x4.mul(r, v128.load(c + k)));
      v128.store(out + k, f32x4.add(sum, f32x4.mul(s, v128.load(d + k))));
    }
    for (let row: usize = 0; row < 4; row++) addRow(index + 4 * (n + row), weights + 4 * (n + row), matrix, whole, rowBytes, out);
  }
  for (; n < count; n++) addRow(index + 4 * n, weights + 4 * n, matrix, 0, rowBytes, out);
}

/** Adds one row from byte `first` on. */
function addRow(index: usize, weights: usize, matrix: usize, first: usize, rowBytes: usize, out: usize): void {
  const row = matrix + rowBytes * <usize>load<u32>(index);
  const weight = load<f32>(weights);
  const factor = f32x4.splat(weight);
  let k = first;
  for (; k + 16 <= rowBytes; k += 16) v128.store(out + k, f32x4.add(v128.load(out + k), f32x4.mul(factor, v128.load(row + k))));
  for (; k < rowBytes; k += 4) store<f32>(out + k, load<f32>(out + k) + weight * load<f32>(row + k));
}
