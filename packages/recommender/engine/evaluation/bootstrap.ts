import { createRandom } from '../linear/random.ts';
import type { Estimate } from '../data/trainedModel.ts';

const resamples = 1000;

/**
 * Means over users with 95 % percentile bootstrap intervals (Efron 1979). All columns use the same resamples of users.
 * @param columns one array per metric, with one value per user
 * @param seed of the random resamples
 */
export function bootstrapMeans(columns: readonly Float64Array[], seed: number): Estimate[] {
  const users = columns[0]?.length ?? 0;
  const random = createRandom(seed);
  const means = columns.map(() => new Float64Array(resamples));
  const drawn = new Int32Array(users);
  for (let sample = 0; sample < resamples; sample++) {
    for (let place = 0; place < users; place++) drawn[place] = random.below(users);
    columns.forEach((column, c) => ((means[c] as Float64Array)[sample] = meanOf(column, drawn)));
  }
  const all = Int32Array.from({ length: users }, (_, place) => place);
  return columns.map((column, c) => {
    const sorted = (means[c] as Float64Array).sort();
    return {
      value: meanOf(column, all),
      low: sorted[Math.floor(0.025 * resamples)] as number,
      high: sorted[Math.ceil(0.975 * resamples) - 1] as number,
    };
  });
}

function meanOf(column: Float64Array, places: Int32Array): number {
  let sum = 0;
  for (let k = 0; k < places.length; k++) sum += column[places[k] as number] as number;
  return sum / places.length;
}
