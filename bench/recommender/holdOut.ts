import type { TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';

const heldOutShare = 0.1;

/** Training data, and for each user id the ids of the user's later items. */
export interface HeldOut {
  data: TrainingData;
  wanted: ReadonlyMap<string, readonly string[]>;
}

/**
 * Holds out the latest tenth of each user's interactions, at least one. A user's only interaction stays in the training data.
 * @throws Error if no interaction has a time
 */
export function holdOutLatest(data: TrainingData): HeldOut {
  const { pairs, nodes } = data;
  if (pairs.time.every(Number.isNaN)) throw new Error('no interaction has a timestamp, so there is no last tenth to hold out');
  const kept: number[] = [];
  const wanted = new Map<string, string[]>();
  for (let start = 0, end = 0; start < pairs.count; start = end) {
    while (end < pairs.count && pairs.source[end] === pairs.source[start]) end++;
    const count = end - start < 2 ? 0 : Math.max(1, Math.round((end - start) * heldOutShare));
    for (let pair = start; pair < end - count; pair++) kept.push(pair);
    if (count === 0) continue;
    const later = Array.from(pairs.target.subarray(end - count, end), (node) => nodes.ids[node] as string);
    wanted.set(nodes.ids[pairs.source[start] as number] as string, later);
  }
  const pick = (array: Int32Array): Int32Array => Int32Array.from(kept, (pair) => array[pair] as number);
  return {
    data: {
      ...data,
      pairs: {
        count: kept.length, source: pick(pairs.source), target: pick(pairs.target), time: Float64Array.from(kept, (pair) => pairs.time[pair] as number),
      },
    },
    wanted,
  };
}
