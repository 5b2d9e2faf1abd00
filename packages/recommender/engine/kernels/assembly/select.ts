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

/**
 * Moves the `k` entries of largest keys to the front of both arrays, in no order.
 * @param scratch 8 bytes per entry
 */
export function selectLargest(key: usize, index: usize, count: usize, k: usize, scratch: usize): void {
  if (k >= count) return;
  packAll(key, index, count, scratch);
  selectPacked(scratch, count, k);
  unpackAll(key, index, count, scratch);
}

/** Sorts both arrays by falling key. @param scratch 8 bytes per entry */
export function sortLargestFirst(key: usize, index: usize, count: usize, scratch: usize): void {
  packAll(key, index, count, scratch);
  sortPacked(scratch, 0, <isize>count - 1);
  unpackAll(key, index, count, scratch);
}
