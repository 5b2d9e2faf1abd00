/** Maximum size of a sample: one item for each value of the first 6 bits of the hash. */
const sampled = 64;
const bucketShift = 32 - 6;

/**
 * Places, from 1, of up to 64 of the first `count` items. The choice depends on the numbers of the items, not on their order, so that an interaction more
 * or less replaces at most a few items of the sample: a scale that follows from the sample does not jump.
 * @param item items by place; place 0 is not used
 */
export function calibrationSample(item: Int32Array, count: number): Int32Array {
  if (count <= sampled) return Int32Array.from({ length: count }, (_, at) => at + 1);
  const least = new Float64Array(sampled).fill(Number.POSITIVE_INFINITY);
  const place = new Int32Array(sampled);
  for (let at = 1; at <= count; at += 1) {
    // Fibonacci hashing (Knuth, 6.4): consecutive numbers are spread over all buckets.
    const hash = Math.imul((item[at] ?? 0) + 1, 0x9e3779b1) >>> 0;
    const bucket = hash >>> bucketShift;
    if (hash >= (least[bucket] ?? 0)) continue;
    least[bucket] = hash;
    place[bucket] = at;
  }
  return place.filter((at) => at > 0);
}
