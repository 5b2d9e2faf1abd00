/** Maximum number of items at the last degree of a sample: one item for each value of the first 6 bits of the hash. */
const sampled = 64;
const bucketShift = 32 - 6;
/** Items with more users are not told apart. */
const mostUsers = 1023;

/**
 * Places, from 1, of the items with the fewest users among the first `count` items, at least 64 if there are as many, at most 127: all items below a degree, and up to 64 of that degree. The
 * choice depends on the degrees and the numbers of the items, not on their order, so that an interaction more or less replaces at most a few items of the
 * sample: a scale that follows from the sample does not jump.
 * @param item items by place; place 0 is not used
 * @param degree number of users of each item of the catalogue
 */
export function calibrationSample(item: Int32Array, degree: Int32Array, count: number): Int32Array {
  const usersOf = (at: number): number => Math.min(mostUsers, degree[item[at] ?? 0] ?? 0);
  const perDegree = new Int32Array(mostUsers + 1);
  for (let at = 1; at <= count; at += 1) perDegree[usersOf(at)] = (perDegree[usersOf(at)] ?? 0) + 1;
  let last = 0;
  for (let fewer = perDegree[0] ?? 0; fewer < sampled && last < mostUsers; fewer += perDegree[last] ?? 0) last += 1;
  const isDrawn = (perDegree[last] ?? 0) > sampled;
  const least = new Float64Array(sampled).fill(Number.POSITIVE_INFINITY);
  const drawn = new Int32Array(sampled);
  const places: number[] = [];
  for (let at = 1; at <= count; at += 1) {
    const users = usersOf(at);
    if (users > last) continue;
    if (users < last || !isDrawn) {
      places.push(at);
      continue;
    }
    // Fibonacci hashing (Knuth, 6.4): consecutive numbers are spread over all buckets.
    const hash = Math.imul((item[at] ?? 0) + 1, 0x9e3779b1) >>> 0;
    const bucket = hash >>> bucketShift;
    if (hash >= (least[bucket] ?? 0)) continue;
    least[bucket] = hash;
    drawn[bucket] = at;
  }
  return Int32Array.from([...places, ...drawn.filter((at) => at > 0)]);
}
