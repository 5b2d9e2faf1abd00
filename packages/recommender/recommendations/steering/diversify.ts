import type { ModelReader } from '../../engine/modelFile/openModel.ts';
import { Row } from '../../engine/modelFile/wordRows.ts';
import type { Entry } from './entry.ts';

/** Maximum number of items among which the next item is chosen, and number of items that are chosen. */
const poolSize = 400;
const chosenItems = 100;

/**
 * Reorders the beginning of a list by maximal marginal relevance (Carbonell and Goldstein 1998): the next item is the one with
 * the largest `(1 - diversity) * relevance - diversity * similarity`. The relevance falls linearly with the rank, because
 * scores of users' lists have few different values; the similarity is the largest cosine of the embeddings with an item
 * before.
 */
export function diversify(model: ModelReader, entries: readonly Entry[], diversity: number, wanted: number): Entry[] {
  const pool = entries.slice(0, poolSize);
  const vectors = pool.map(({ item }) => unitVector(model, item));
  const similarity = new Float64Array(pool.length).fill(-1);
  const left = new Set(pool.keys());
  const chosen: Entry[] = [];
  while (left.size > 0 && chosen.length < Math.min(wanted, chosenItems)) {
    const best = bestOf(left, (at) => (1 - diversity) * (1 - at / pool.length) - diversity * (similarity[at] ?? 0));
    left.delete(best);
    chosen.push(pool[best] as Entry);
    for (const at of left) similarity[at] = Math.max(similarity[at] ?? 0, dot(vectors[at] as Float64Array, vectors[best] as Float64Array));
  }
  return [...chosen, ...[...left].map((at) => pool[at] as Entry), ...entries.slice(poolSize)];
}

function bestOf(places: ReadonlySet<number>, valueOf: (place: number) => number): number {
  let best = -1;
  let largest = Number.NEGATIVE_INFINITY;
  for (const place of places) {
    const value = valueOf(place);
    if (value > largest) [best, largest] = [place, value];
  }
  return best;
}

function unitVector(model: ModelReader, item: number): Float64Array {
  const row = new Row();
  model.readEmbedding(item, row);
  const vector = Float64Array.from(row.floats.subarray(row.start, row.start + model.facts.rank));
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return vector.map((value) => value / length);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k += 1) sum += (a[k] ?? 0) * (b[k] ?? 0);
  return sum;
}
