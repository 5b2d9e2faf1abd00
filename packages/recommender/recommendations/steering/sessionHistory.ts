import type { ModelReader } from '../../engine/modelFile/openModel.ts';
import { Row } from '../../engine/modelFile/wordRows.ts';
import type { GivenHistory } from '../../engine/query/givenHistory.ts';

/** An item of a session, and what it counts: below 0 for a negative example. */
export interface SessionEntry {
  item: number;
  weight: number;
}

/**
 * Builds the history of a session. As in a training, the entry with the largest weight of an item counts, and after a
 * negative example only what follows it.
 * @param user user whose history comes before the session; -1 for none
 * @param entries oldest first
 */
export function sessionHistory(model: ModelReader, user: number, entries: readonly SessionEntry[]): GivenHistory {
  const weights = new Map<number, number>(user < 0 ? [] : storedWeights(model, user));
  for (const { item, weight } of entries) {
    const before = weights.get(item) ?? 0;
    // Inserted again, so that the map is in the order of the latest entries.
    weights.delete(item);
    if (weight !== 0) weights.set(item, weight < 0 ? weight : Math.max(before, weight));
  }
  const all = [...weights];
  const liked = all.filter(([, weight]) => weight > 0);
  const disliked = all.filter(([, weight]) => weight < 0);
  return {
    items: liked.map(([item]) => item), weights: liked.map(([, weight]) => weight),
    disliked: disliked.map(([item]) => item), dislikes: disliked.map(([, weight]) => weight),
  };
}

/** Items that a user has seen or dislikes. */
export function historyItems(model: ModelReader, user: number): number[] {
  return storedWeights(model, user).map(([item]) => item);
}

function storedWeights(model: ModelReader, user: number): [number, number][] {
  const row = new Row();
  model.history.read(user, row);
  const stored = Array.from(row.ints.subarray(row.start, row.start + row.count), (item): [number, number] => [item, 1]);
  if (model.historyWeights !== null) {
    model.historyWeights.read(user, row);
    for (const [at, entry] of stored.entries()) entry[1] = row.floats[row.start + at] ?? 1;
  }
  if (model.dislikes === null) return stored;
  model.dislikes.read(user, row);
  const { ints, floats, start, count } = row;
  return [...stored, ...Array.from({ length: count }, (_, at): [number, number] => [ints[start + at] ?? 0, floats[start + count + at] ?? 0])];
}

/**
 * Scores the items of a history as the other items of the list are scored: the mean of the scores in the operator rows of the
 * history, each weighted by its part of the ranking value. Items that no row contains have the score 0.
 */
export function scoreSeen(model: ModelReader, { items, weights }: GivenHistory): Map<number, number> {
  const sums = new Map(items.map((item) => [item, { score: 0, evidence: 0 }]));
  const row = new Row();
  for (const [at, from] of items.entries()) {
    model.operator.read(from, row);
    const { ints, floats, start, count } = row;
    for (let entry = start; entry < start + count; entry += 1) {
      const sum = sums.get(ints[entry] ?? -1);
      const part = (weights[at] ?? 1) * (floats[entry + count] ?? 0);
      if (sum === undefined || part <= 0) continue;
      sum.score += part * (floats[entry + 2 * count] ?? 0);
      sum.evidence += part;
    }
  }
  return new Map([...sums].map(([item, { score, evidence }]) => [item, evidence > 0 ? score / evidence : 0]));
}
