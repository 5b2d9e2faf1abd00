import type { TrainingData } from '../../engine/data/trainingData.ts';

const dayMs = 86_400_000;
/** Weights must not become 0, which would remove the pair. */
const least = 1e-3;

/**
 * Multiplies the weight of each pair by 2^(-age / half-life), at least 0.001. The age counts from the newest timestamp of the data, so the same data gives the
 * same model at any time; pairs without a timestamp keep their weight.
 * @param halfLifeDays above 0
 */
export function decayWeights(data: TrainingData, halfLifeDays: number): TrainingData {
  const { pairs } = data;
  const newest = pairs.time.reduce((latest, time) => (time > latest ? time : latest), Number.NEGATIVE_INFINITY);
  if (newest === Number.NEGATIVE_INFINITY) return data;
  const weight = Float32Array.from(pairs.time, (time, pair) => {
    const own = pairs.weight?.[pair] ?? 1;
    return Number.isNaN(time) ? own : own * Math.max(least, 2 ** ((time - newest) / dayMs / halfLifeDays));
  });
  return { ...data, pairs: { ...pairs, weight } };
}
