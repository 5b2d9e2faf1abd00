/** Index of the first entry of an ascending list that is not less than `time`; the length of the list if there is none. */
export function firstFrame(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
