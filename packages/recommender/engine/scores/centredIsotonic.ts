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
  const pools = poolScores(keys, scores, start, end);
  const first = pools[0];
  const last = pools.at(-1);
  if (first === undefined || last === undefined) {
    scores.fill(0, start, end);
    return;
  }
  const top = { key: keys[start] as number, score: meanBeyond(scores, first, 1) };
  const bottom = { key: keys[end - 1] as number, score: meanBeyond(scores, last, -1) };
  const line = [top, ...pools, bottom];
  let at = 1;
  for (let place = start; place < end; place++) {
    const key = keys[place] as number;
    while (at < line.length - 1 && (line[at] as Point).key > key) at++;
    scores[place] = between(line[at - 1] as Point, line[at] as Point, key);
  }
}

interface Point {
  key: number;
  score: number;
}

/** A pool of the entries `from .. to`; `count` of them have a score. */
interface Pool extends Point {
  count: number;
  from: number;
  to: number;
}

function poolScores(keys: Float32Array | Float64Array, scores: Float32Array | Float64Array, start: number, end: number): Pool[] {
  const pools: Pool[] = [];
  for (let place = start; place < end; place++) {
    let score = scores[place] as number;
    if (Number.isNaN(score)) continue;
    let key = keys[place] as number;
    let count = 1;
    let from = place;
    for (let before = pools.at(-1); before !== undefined && before.score <= score; before = pools.at(-1)) {
      const sum = before.count + count;
      key = (before.key * before.count + key * count) / sum;
      score = (before.score * before.count + score * count) / sum;
      count = sum;
      from = before.from;
      pools.pop();
    }
    pools.push({ key, score, count, from, to: place + 1 });
  }
  return pools;
}

/** Mean of a pool's scores on one side of its mean: above for 1, below for -1; the pool's mean if there are none. */
function meanBeyond(scores: Float32Array | Float64Array, { score: mean, from, to }: Pool, side: 1 | -1): number {
  let sum = 0;
  let count = 0;
  for (let place = from; place < to; place++) {
    const score = scores[place] as number;
    if (!(side * (score - mean) > 1e-9)) continue;
    sum += score;
    count++;
  }
  return count === 0 ? mean : sum / count;
}

/** The score at `key` on the line from a to b, whose keys descend. */
function between(a: Point, b: Point, key: number): number {
  if (!(a.key > b.key)) return Math.min(a.score, b.score);
  const share = Math.min(1, Math.max(0, (a.key - key) / (a.key - b.key)));
  return a.score + share * (b.score - a.score);
}
