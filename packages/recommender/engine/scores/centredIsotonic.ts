/**
 * Replaces `scores[start .. end)` by a non-increasing sequence near it: centred isotonic regression (Oron and Flournoy 2017).
 * The regression pools adjacent scores that rise and gives each pool its mean, at the mean key of the pool; scores between two
 * pools lie on the line that connects them. So entries with different keys get different scores, where plain pooling gives
 * the same score to a whole pool. Before the first pool's centre, the line leads to the mean of this pool's scores above the
 * pool's mean; after the last pool's centre, to the mean of the scores below. Scores of NaN (no evidence) take part in no
 * pool and get their place on the line; if all are NaN, they become 0.
 * @param keys ranking values in descending order, at the places of the scores
 */
export function centreIsotonic(keys: Float32Array | Float64Array, scores: Float32Array | Float64Array, start: number, end: number): void {
  const last = poolScores(keys, scores, start, end);
  if (last === 0) {
    scores.fill(0, start, end);
    return;
  }
  const { key, score } = pools;
  // The ends of the line, beside the pools 1 .. last.
  key[0] = keys[start] as number;
  score[0] = meanBeyond(scores, 1, 1);
  key[last + 1] = keys[end - 1] as number;
  score[last + 1] = meanBeyond(scores, last, -1);
  let at = 1;
  for (let place = start; place < end; place++) {
    const own = keys[place] as number;
    while (at <= last && (key[at] as number) > own) at++;
    scores[place] = between(at, own);
  }
}

/** Pools of the entries `from .. to`, of which `count` have a score. Every list reuses the arrays: objects were a third of all memory that a list took. */
class Pools {
  readonly key: Float64Array;
  readonly score: Float64Array;
  readonly count: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;

  constructor(length: number) {
    this.key = new Float64Array(length);
    this.score = new Float64Array(length);
    this.count = new Int32Array(length);
    this.from = new Int32Array(length);
    this.to = new Int32Array(length);
  }
}

let pools = new Pools(1024);

/**
 * Pools the scores.
 * @returns number of pools, which are `pools` 1, 2, …
 */
function poolScores(keys: Float32Array | Float64Array, scores: Float32Array | Float64Array, start: number, end: number): number {
  if (pools.key.length < end - start + 2) pools = new Pools(2 * (end - start + 2));
  let last = 0;
  for (let place = start; place < end; place++) {
    const own = scores[place] as number;
    if (!Number.isNaN(own)) last = pool(last, keys[place] as number, own, place);
  }
  return last;
}

/**
 * Adds an entry behind the last pool, together with the pools before whose scores are not larger.
 * @returns number of pools
 */
function pool(before: number, ownKey: number, ownScore: number, place: number): number {
  const { key: keys, score: scores, count: counts, from: starts, to } = pools;
  let last = before;
  let key = ownKey;
  let score = ownScore;
  let count = 1;
  let from = place;
  for (; last > 0 && (scores[last] as number) <= score; last--) {
    const other = counts[last] as number;
    key = ((keys[last] as number) * other + key * count) / (other + count);
    score = ((scores[last] as number) * other + score * count) / (other + count);
    count += other;
    from = starts[last] as number;
  }
  last++;
  keys[last] = key;
  scores[last] = score;
  counts[last] = count;
  starts[last] = from;
  to[last] = place + 1;
  return last;
}

/** Mean of a pool's scores on one side of its mean: above for 1, below for -1; the pool's mean if there are none. */
function meanBeyond(scores: Float32Array | Float64Array, of: number, side: 1 | -1): number {
  const mean = pools.score[of] as number;
  let sum = 0;
  let count = 0;
  for (let place = pools.from[of] as number; place < (pools.to[of] as number); place++) {
    const score = scores[place] as number;
    if (!(side * (score - mean) > 1e-9)) continue;
    sum += score;
    count++;
  }
  return count === 0 ? mean : sum / count;
}

/** The score at the key `own` on the line from the point before to the point `at`, whose keys descend. */
function between(at: number, own: number): number {
  const { key, score } = pools;
  const keyA = key[at - 1] as number;
  const keyB = key[at] as number;
  const scoreA = score[at - 1] as number;
  const scoreB = score[at] as number;
  if (!(keyA > keyB)) return Math.min(scoreA, scoreB);
  const share = Math.min(1, Math.max(0, (keyA - own) / (keyA - keyB)));
  return scoreA + share * (scoreB - scoreA);
}
