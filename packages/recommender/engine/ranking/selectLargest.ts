type Keys = Float32Array | Float64Array;

/**
 * Moves the `k` entries with the largest keys to the front of both arrays, in no particular order (quickselect). Of equal
 * keys, the smaller index comes first, so the result does not depend on the input order.
 * @param key keys; NaN is not allowed
 */
export function selectLargest(key: Keys, index: Int32Array, count: number, k: number): void {
  if (k >= count) return;
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const rest = partition(key, index, low, high);
    if (k === rest) return;
    if (k < rest) high = rest - 1;
    else low = rest;
  }
}

/** Sorts the first `count` entries of both arrays by descending key; equal keys are sorted by ascending index. */
export function sortLargestFirst(key: Keys, index: Int32Array, count: number): void {
  sortRange(key, index, 0, count - 1);
}

function sortRange(key: Keys, index: Int32Array, from: number, to: number): void {
  let low = from;
  let high = to;
  while (high - low > 12) {
    const rest = partition(key, index, low, high);
    if (rest - low <= high - rest) {
      sortRange(key, index, low, rest - 1);
      low = rest;
    } else {
      sortRange(key, index, rest, high);
      high = rest - 1;
    }
  }
  for (let i = low + 1; i <= high; i++) {
    const k = key[i] as number;
    const x = index[i] as number;
    let j = i - 1;
    for (; j >= low && comesBefore(k, x, key[j] as number, index[j] as number); j--) {
      key[j + 1] = key[j] as number;
      index[j + 1] = index[j] as number;
    }
    key[j + 1] = k;
    index[j + 1] = x;
  }
}

/**
 * Hoare's partition around the median of the first, middle and last entries.
 * @returns start of the second part; no entry of the second part sorts before an entry of the first, and neither part is
 * empty
 */
function partition(key: Keys, index: Int32Array, low: number, high: number): number {
  const middle = (low + high) >>> 1;
  orderPair(key, index, low, middle);
  orderPair(key, index, low, high);
  orderPair(key, index, middle, high);
  const pivotKey = key[middle] as number;
  const pivotIndex = index[middle] as number;
  let left = low;
  let right = high;
  while (left <= right) {
    while (comesBefore(key[left] as number, index[left] as number, pivotKey, pivotIndex)) left++;
    while (comesBefore(pivotKey, pivotIndex, key[right] as number, index[right] as number)) right--;
    if (left <= right) swap(key, index, left++, right--);
  }
  return left;
}

function comesBefore(keyA: number, indexA: number, keyB: number, indexB: number): boolean {
  return keyA > keyB || (keyA === keyB && indexA < indexB);
}

function orderPair(key: Keys, index: Int32Array, a: number, b: number): void {
  if (comesBefore(key[b] as number, index[b] as number, key[a] as number, index[a] as number)) swap(key, index, a, b);
}

function swap(key: Keys, index: Int32Array, a: number, b: number): void {
  const k = key[a] as number;
  const x = index[a] as number;
  key[a] = key[b] as number;
  index[a] = index[b] as number;
  key[b] = k;
  index[b] = x;
}
