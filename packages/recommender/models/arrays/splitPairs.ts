import type { TrainingData } from '../../engine/data/trainingData.ts';

/** All pairs of a snapshot in their order, each with its weight. */
export type PairRows = Required<TrainingData['pairs']>;

/** The pairs by the sign of their weights. */
export interface SplitPairs {
  pairs: TrainingData['pairs'];
  dislikes: NonNullable<TrainingData['dislikes']>;
  /** Number of pairs with the weight 0, which are not used. */
  neutral: number;
}

/** Divides pairs into likes and dislikes; the order stays. Returns the same arrays without weights if all weights are 1. */
export function splitPairs(all: PairRows): SplitPairs {
  const none = { count: 0, source: new Int32Array(0), target: new Int32Array(0), weight: new Float32Array(0) };
  const { weight, ...binary } = all;
  if (weight.every((value) => value === 1)) return { pairs: binary, dislikes: none, neutral: 0 };
  const liked = placesOf(weight, (value) => value > 0);
  const disliked = placesOf(weight, (value) => value < 0);
  const pairs = {
    count: liked.length,
    source: liked.map((place) => all.source[place] as number),
    target: liked.map((place) => all.target[place] as number),
    time: Float64Array.from(liked, (place) => all.time[place] as number),
  };
  const weights = Float32Array.from(liked, (place) => weight[place] as number);
  return {
    pairs: weights.every((value) => value === 1) ? pairs : { ...pairs, weight: weights },
    dislikes: {
      count: disliked.length,
      source: disliked.map((place) => all.source[place] as number),
      target: disliked.map((place) => all.target[place] as number),
      weight: Float32Array.from(disliked, (place) => weight[place] as number),
    },
    neutral: all.count - liked.length - disliked.length,
  };
}

function placesOf(weight: Float32Array, wanted: (value: number) => boolean): Int32Array {
  let count = 0;
  for (const value of weight) if (wanted(value)) count += 1;
  const places = new Int32Array(count);
  let at = 0;
  for (let place = 0; place < weight.length; place += 1) if (wanted(weight[place] as number)) places[at++] = place;
  return places;
}
