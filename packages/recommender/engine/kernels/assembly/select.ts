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

/** Parts of the range of keys in which they are counted: 64 to each halving of the distance from the least key. */
const parts: i32 = 1024;
const partShift: i32 = 17;

/**
 * Moves the `k` entries of largest keys to the front of both arrays, in no order; what is behind them is undefined. Keys are
 * counted in parts of their range first, so that only those of the part in which the selection ends are compared. Parts are
 * narrower towards the least key, for there are most keys.
 * @param scratch 8 bytes per entry, and 4,096 more
 */
export function selectLargest(key: usize, index: usize, count: usize, k: usize, scratch: usize): void {
  if (k >= count || k == 0) return;
  const inFours = count & ~3;
  let low = v128.load_splat<f32>(key);
  let high = low;
  for (let n: usize = 0; n < inFours; n += 4) {
    const values = v128.load(key + 4 * n);
    low = f32x4.pmin(low, values);
    high = f32x4.pmax(high, values);
  }
  let least = min(min(f32x4.extract_lane(low, 0), f32x4.extract_lane(low, 1)), min(f32x4.extract_lane(low, 2), f32x4.extract_lane(low, 3)));
  let most = max(max(f32x4.extract_lane(high, 0), f32x4.extract_lane(high, 1)), max(f32x4.extract_lane(high, 2), f32x4.extract_lane(high, 3)));
  for (let n = inFours; n < count; n++) {
    least = min(least, load<f32>(key + 4 * n));
    most = max(most, load<f32>(key + 4 * n));
  }
  // So that 0 and -0, which are equal keys, are at the same distance.
  if (least == 0) least = -0.0;
  // A range that a float cannot hold.
  if (!(most - least < 1e38)) {
    packAll(key, index, count, scratch);
    selectPacked(scratch, count, k);
    unpackAll(key, index, k, scratch);
    return;
  }
  const base = (reinterpret<i32>(most - least) >> partShift) - (parts - 1);
  const counts = scratch + 8 * count;
  memory.fill(counts, 0, 4 * <usize>parts);
  for (let n: usize = 0; n < inFours; n += 4) {
    const own = partsOf(v128.load(key + 4 * n), least, base);
    increase(counts, i32x4.extract_lane(own, 0));
    increase(counts, i32x4.extract_lane(own, 1));
    increase(counts, i32x4.extract_lane(own, 2));
    increase(counts, i32x4.extract_lane(own, 3));
  }
  for (let n = inFours; n < count; n++) increase(counts, partOf(load<f32>(key + 4 * n), least, base));
  let above: usize = 0;
  let part = parts;
  let inPart: usize = 0;
  while (above + inPart < k) {
    above += inPart;
    inPart = <usize>load<u32>(counts + 4 * <usize>--part);
  }
  let kept: usize = 0;
  let open: usize = 0;
  const ends = i32x4.splat(part);
  for (let n: usize = 0; n < count; n += 4) {
    // What is read behind the last key is not looked at; the workspace has memory there.
    const own = partsOf(v128.load(key + 4 * n), least, base);
    let wanted = i32x4.bitmask(i32x4.ge_s(own, ends));
    if (n >= inFours) wanted &= (1 << <i32>(count - n)) - 1;
    const compared = i32x4.bitmask(i32x4.eq(own, ends));
    for (; wanted != 0; wanted &= wanted - 1) {
      const lane = ctz(wanted);
      const value = load<f32>(key + 4 * (n + lane));
      const which = load<u32>(index + 4 * (n + lane));
      if ((compared >> lane) & 1) {
        store<u64>(scratch + 8 * open++, pack(value, which));
      } else {
        store<f32>(key + 4 * kept, value);
        store<u32>(index + 4 * kept++, which);
      }
    }
  }
  selectPacked(scratch, open, k - kept);
  unpackAll(key + 4 * kept, index + 4 * kept, k - kept, scratch);
}

function increase(counts: usize, part: i32): void {
  const place = counts + 4 * <usize>part;
  store<u32>(place, load<u32>(place) + 1);
}

/** Rises with the value, since differences are rounded without changing their order, and the bits of floats from 0 on rise too. */
function partOf(value: f32, least: f32, base: i32): i32 {
  return max<i32>((reinterpret<i32>(value - least) >> partShift) - base, 0);
}

function partsOf(values: v128, least: f32, base: i32): v128 {
  const distance = i32x4.shr_s(f32x4.sub(values, f32x4.splat(least)), partShift);
  return i32x4.max_s(i32x4.sub(distance, i32x4.splat(base)), i32x4.splat(0));
}

/** Numbers of entries that are sorted by the bytes of their keys: fewer are sorted sooner by comparing, more have no room in the scratch memory. */
const leastByBytes: usize = 48;
const mostByBytes: usize = 2048;
const byteValues: usize = 256;

/**
 * Sorts pairs by falling key, byte by byte from the last one (a radix sort): 800 pairs take a quarter of the time of comparing.
 * @param packed 16 bytes per entry, and 4,096 more
 * @returns where the sorted pairs are
 */
function sortByBytes(packed: usize, count: usize): usize {
  const counts = packed + 16 * count;
  memory.fill(counts, 0, 4 * 4 * byteValues);
  for (let n: usize = 0; n < count; n++) {
    const falling = ~load<u32>(packed + 8 * n, 4);
    increase(counts, falling & 255);
    increase(counts, 256 + ((falling >> 8) & 255));
    increase(counts, 512 + ((falling >> 16) & 255));
    increase(counts, 768 + (falling >> 24));
  }
  let from = packed;
  let to = packed + 8 * count;
  for (let byte: u32 = 0; byte < 4; byte++) {
    const own = counts + 4 * byteValues * <usize>byte;
    const shift = 8 * byte;
    // Keys that all have the same value here keep their order.
    if (<usize>load<u32>(own + 4 * <usize>((~load<u32>(from, 4) >> shift) & 255)) == count) continue;
    let before: u32 = 0;
    for (let value: usize = 0; value < byteValues; value++) {
      const many = load<u32>(own + 4 * value);
      store<u32>(own + 4 * value, before);
      before += many;
    }
    for (let n: usize = 0; n < count; n++) {
      const pair = load<u64>(from + 8 * n);
      const place = own + 4 * <usize>((~<u32>(pair >> 32) >> shift) & 255);
      const at = load<u32>(place);
      store<u32>(place, at + 1);
      store<u64>(to + 8 * <usize>at, pair);
    }
    const sorted = to;
    to = from;
    from = sorted;
  }
  for (let first: usize = 0; first < count;) {
    let end = first + 1;
    const key = load<u32>(from + 8 * first, 4);
    while (end < count && load<u32>(from + 8 * end, 4) == key) end++;
    // Equal keys, by rising index.
    if (end > first + 1) sortPacked(from, <isize>first, <isize>end - 1);
    first = end;
  }
  return from;
}

/** Sorts both arrays by falling key. @param scratch 8 bytes per entry, and at least 36,864 bytes */
export function sortLargestFirst(key: usize, index: usize, count: usize, scratch: usize): void {
  packAll(key, index, count, scratch);
  let sorted = scratch;
  if (count >= leastByBytes && count <= mostByBytes) sorted = sortByBytes(scratch, count);
  else sortPacked(scratch, 0, <isize>count - 1);
  unpackAll(key, index, count, sorted);
}

/**
 * Lists the entries with the largest keys above 0, largest first, equal keys by rising index; leaves `key` and `index` as they are. Collects up to twice as many entries as wanted, then drops
 * the smaller half: most entries are below the rest, so that four are compared at once and few are collected.
 * @param key with room for whole vectors
 * @param outKey,outIndex `limit` entries each
 * @param scratch 8 bytes for each of twice `limit` entries
 * @returns number of entries listed
 */
export function listLargest(key: usize, index: usize, count: usize, limit: usize, outKey: usize, outIndex: usize, scratch: usize): usize {
  if (limit == 0) return 0;
  let found: usize = 0;
  let least = f32x4.splat(0);
  for (let n: usize = 0; n < count; n += 4) {
    if (!v128.any_true(f32x4.ge(v128.load(key + 4 * n), least))) continue;
    const end = min(n + 4, count);
    for (let at = n; at < end; at++) {
      const own = load<f32>(key + 4 * at);
      if (!(own > 0) || own < f32x4.extract_lane(least, 0)) continue;
      store<u64>(scratch + 8 * found++, pack(own, load<u32>(index + 4 * at)));
      if (found < 2 * limit) continue;
      selectPacked(scratch, found, limit);
      found = limit;
      let smallest = load<u64>(scratch);
      for (let place: usize = 1; place < limit; place++) smallest = min(smallest, load<u64>(scratch + 8 * place));
      least = f32x4.splat(unpackKey(smallest));
    }
  }
  selectPacked(scratch, found, limit);
  found = min(found, limit);
  sortPacked(scratch, 0, <isize>found - 1);
  unpackAll(outKey, outIndex, found, scratch);
  return found;
}
