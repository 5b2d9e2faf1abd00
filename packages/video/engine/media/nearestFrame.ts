/** The value of an ascending list that lies nearest; the wish itself where the list is empty. */
export function nearestFrame(times: ArrayLike<number>, wish: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < wish) low = middle + 1;
    else high = middle;
  }
  const after = times[low] ?? Infinity;
  const before = times[low - 1] ?? -Infinity;
  if (times.length === 0) return wish;
  return wish - before < after - wish ? before : after;
}
