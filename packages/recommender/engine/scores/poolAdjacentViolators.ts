/**
 * Replaces `values[start .. end)` by the nearest non-increasing sequence: isotonic regression with equal weights by
 * pool-adjacent-violators (Ayer et al. 1955). Each pool takes its own mean, so the overall mean does not change.
 */
export function poolAdjacentViolators(values: Float32Array | Float64Array, start: number, end: number): void {
  const means = new Float64Array(end - start);
  const lengths = new Int32Array(end - start);
  let pools = 0;
  for (let place = start; place < end; place++) {
    let mean = values[place] as number;
    let length = 1;
    while (pools > 0 && (means[pools - 1] as number) < mean) {
      pools--;
      const before = lengths[pools] as number;
      mean = (mean * length + (means[pools] as number) * before) / (length + before);
      length += before;
    }
    means[pools] = mean;
    lengths[pools] = length;
    pools++;
  }
  let place = start;
  for (let pool = 0; pool < pools; pool++) {
    const stop = place + (lengths[pool] as number);
    values.fill(means[pool] as number, place, stop);
    place = stop;
  }
}
