// AssemblyScript. The largest keys with their indexes, equal keys by rising index. A pair is packed into one 64-bit
// number (the order of the float above, the complement of the index below), so that one comparison decides.

function pack(key: f32, index: u32): u64 {
  const bits = reinterpret<u32>(key + 0);
  const order = bits ^ (<u32>(<i32>bits >> 31) | 0x80000000);
  return (<u64>order << 32) | <u64>~index;
}

function unpackKey(packed: u64): f32 {
  const order = <u32>(packed >> 32);
  return reinterpret<f32>(order ^ (~<u32>(<i32>order >> 31) | 0x80000000));
}

function packAll(key: usize, index: usize, count: usize, packed: usize): void {
  for (let n: usize = 0; n < count; n++) {
    store<u64>(packed + 8 * n, pack(load<f32>(key + 4 * n), load<u32>(index + 4 * n)));
  }
}

function unpackAll(key: usize, index: usize, count: usize, packed: usize): void {
  for (let n: usize = 0; n < count; n++) {
    const both = load<u64>(packed + 8 * n);
    store<f32>(key + 4 * n, unpackKey(both));
    store<u32>(index + 4 * n, ~<u32>both);
  }
}

function order(packed: usize, a: isize, b: isize): void {
  const x = load<u64>(packed + 8 * a);
  const y = load<u64>(packed + 8 * b);
  if (y > x) {
    store<u64>(packed + 8 * a, y);
    store<u64>(packed + 8 * b, x);
  }
}

/** Hoare's partition around the median of first, middle and last, largest first; returns where the second part begins. */
function partition(packed: usize, low: isize, high: isize): isize {
  const middle = (low + high) >> 1;
  order(packed, low, middle);
  order(packed, low, high);
  order(packed, middle, high);
  const pivot = load<u64>(packed + 8 * middle);
  let left = low;
  let right = high;
  while (left <= right) {
    let x = load<u64>(packed + 8 * left);
    while (x > pivot) x = load<u64>(packed + 8 * ++left);
    let y = load<u64>(packed + 8 * right);
    while (pivot > y) y = load<u64>(packed + 8 * --right);
    if (left <= right) {
      store<u64>(packed + 8 * left++, y);
      store<u64>(packed + 8 * right--, x);
    }
  }
  return left;
}

function selectPacked(packed: usize, count: usize, k: usize): void {
  if (k >= count) return;
  let low: isize = 0;
  let high: isize = count - 1;
  while (low < high) {
    const rest = partition(packed, low, high);
    if (<isize>k == rest) return;
    if (<isize>k < rest) high = rest - 1;
    else low = rest;
  }
}

function sortPacked(packed: usize, from: isize, to: isize): void {
  let low = from;
  let high = to;
  while (high - low > 12) {
    const rest = partition(packed, low, high);
    if (rest - low <= high - rest) {
      sortPacked(packed, low, rest - 1);
      low = rest;
    } else {
      sortPacked(packed, rest, high);
      high = rest - 1;
    }
  }
  for (let i = low + 1; i <= high; i++) {
    const x = load<u64>(packed + 8 * i);
    let j = i - 1;
    for (; j >= low; j--) {
      const y = load<u64>(packed + 8 * j);
      if (y > x) break;
      store<u64>(packed + 8 * j, y, 8);
    }
    store<u64>(packed + 8 * j, x, 8);
  }
}

/** Equal parts of the range of keys in which they are counted. */
const parts: usize = 256;

/**
 * Moves the `k` entries of largest keys to the front of both arrays, in no order; what is behind them is undefined. Keys are
 * counted in parts of their range first, so that only those of the part in which the selection ends are compared.
 * @param scratch 8 bytes per entry, and 1,024 more
 */
export function selectLargest(key: usize, index: usize, count: usize, k: usize, scratch: usize): void {
  if (k >= count || k == 0) return;
  let least = load<f32>(key);
  let most = least;
  for (let n: usize = 1; n < count; n++) {
    const value = load<f32>(key + 4 * n);
    least = min(least, value);
    most = max(most, value);
  }
  const scale = (<f32>parts - 0.01) / (most - least);
  // A range of nothing, or one that a float cannot hold.
  if (!(scale > 0 && scale < 1e30 && most - least < 1e30)) {
    packAll(key, index, count, scratch);
    selectPacked(scratch, count, k);
    unpackAll(key, index, k, scratch);
    return;
  }
  const counts = scratch + 8 * count;
  memory.fill(counts, 0, 4 * parts);
  for (let n: usize = 0; n < count; n++) {
    const part = counts + 4 * partOf(load<f32>(key + 4 * n), least, scale);
    store<u32>(part, load<u32>(part) + 1);
  }
  let above: usize = 0;
  let part = parts;
  let inPart: usize = 0;
  while (above + inPart < k) {
    above += inPart;
    inPart = <usize>load<u32>(counts + 4 * --part);
  }
  let kept: usize = 0;
  let open: usize = 0;
  for (let n: usize = 0; n < count; n++) {
    const value = load<f32>(key + 4 * n);
    const own = partOf(value, least, scale);
    if (own < part) continue;
    const which = load<u32>(index + 4 * n);
    if (own == part) {
      store<u64>(scratch + 8 * open++, pack(value, which));
    } else {
      store<f32>(key + 4 * kept, value);
      store<u32>(index + 4 * kept++, which);
    }
  }
  selectPacked(scratch, open, k - kept);
  unpackAll(key + 4 * kept, index + 4 * kept, k - kept, scratch);
}

/** Rises with the value, since differences and products of floats are rounded without changing their order. */
function partOf(value: f32, least: f32, scale: f32): usize {
  return min(<usize>((value - least) * scale), parts - 1);
}

/** Sorts both arrays by falling key. @param scratch 8 bytes per entry */
export function sortLargestFirst(key: usize, index: usize, count: usize, scratch: usize): void {
  packAll(key, index, count, scratch);
  sortPacked(scratch, 0, <isize>count - 1);
  unpackAll(key, index, count, scratch);
}
