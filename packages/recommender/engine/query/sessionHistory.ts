import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import type { GivenHistory } from './givenHistory.ts';

/** An item of a session, and what it counts: below 0 for a negative example. */
export interface SessionEntry {
  item: number;
  weight: number;
}

/**
 * Adds the entries of a session to a history. As in a training, the entry with the largest weight of an item counts, and after a
 * negative example only what follows it.
 * @param before history before the session
 * @param entries oldest first
 */
export function sessionHistory(before: GivenHistory, entries: readonly SessionEntry[]): GivenHistory {
  const weights = new Map<number, number>();
  for (const [at, item] of before.items.entries()) weights.set(item, before.weights[at] ?? 1);
  for (const [at, item] of before.disliked.entries()) weights.set(item, before.dislikes[at] ?? 0);
  for (const { item, weight } of entries) {
    const known = weights.get(item) ?? 0;
    // Inserted again, so that the map is in the order of the latest entries.
    weights.delete(item);
    if (weight !== 0) weights.set(item, weight < 0 ? weight : Math.max(known, weight));
  }
  const all = [...weights];
  const liked = all.filter(([, weight]) => weight > 0);
  const disliked = all.filter(([, weight]) => weight < 0);
  return {
    items: liked.map(([item]) => item), weights: liked.map(([, weight]) => weight),
    disliked: disliked.map(([item]) => item), dislikes: disliked.map(([, weight]) => weight),
  };
}

/** Returns the history of a user in the model. @param user number of the user; -1 for an empty history */
export function storedHistory(model: ModelReader, user: number): GivenHistory {
  if (user < 0) return { items: [], weights: [], disliked: [], dislikes: [] };
  const row = new Row();
  model.history.read(user, row);
  const items = Array.from(row.ints.subarray(row.start, row.start + row.count));
  model.historyWeights?.read(user, row);
  const weights = items.map((_, at) => (model.historyWeights === null ? 1 : (row.floats[row.start + at] ?? 1)));
  if (model.dislikes === null) return { items, weights, disliked: [], dislikes: [] };
  model.dislikes.read(user, row);
  const { ints, floats, start, count } = row;
  return { items, weights, disliked: Array.from(ints.subarray(start, start + count)), dislikes: Array.from(floats.subarray(start + count, start + 2 * count)) };
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
