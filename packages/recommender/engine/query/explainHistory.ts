import type { ModelReader } from '../modelFile/openModel.ts';
import { Row, type RowTable } from '../modelFile/wordRows.ts';
import type { Ranking } from './ranking.ts';
import { minShare, type Finding } from './reason.ts';
import { followedItems, operatorWeights, transitionWeight } from '../time/historyWeights.ts';
import { mixOf, usesTransitions, type Mix } from './transitions.ts';
import { maxHistory, markSeen, sumForUser, weighHistory } from './userItems.ts';
import { UserSums } from './userSums.ts';

/** Maximum number of items that one reason names. */
const namedItems = 10;

/** The contribution of one history item to the value of a recommended item. */
interface Part {
  item: number;
  value: number;
}

/**
 * Reasons of items recommended to a user: the history items whose rows contribute most to the ranking value. If no operator
 * row contains an item (few interactions), the reasons are the history items whose related rows contain it.
 */
export function explainHistory(model: ModelReader, user: number, ranking: Ranking): Finding[][] {
  const history = new Row();
  model.history.read(user, history, Math.max(0, model.history.count(user) - maxHistory));
  const weights = weighHistory(model, user, operatorWeights(history.count, model.facts.setting.recency ?? false), new Row());
  const mix = usesTransitions(model) ? mixForUser(model, user) : { operator: 1, transitions: 0 };
  const parts = partsOf(model.operator, ranking, history, weights.map((weight) => weight * mix.operator));
  if (mix.transitions > 0 && model.transitions !== null) {
    partsOf(model.transitions, ranking, history, followedWeights(history.count, mix.transitions), parts);
  }
  const unexplained = parts.some((list) => list.length === 0);
  const indirect = unexplained ? partsOf(model.related, ranking, history, weights) : parts;
  return parts.map((list, rank) => reasonsOf(model, list.length > 0 ? list : (indirect[rank] ?? [])));
}

/** Recomputes the user's mix, because its factors depend on all sums of the user. */
function mixForUser(model: ModelReader, user: number): Mix {
  const sums = new UserSums(model.facts.items);
  markSeen(model, user, sums);
  sumForUser(model, user, sums);
  return mixOf(model, sums);
}

/** Weights of the transitions from each item of a history, oldest first. */
function followedWeights(count: number, factor: number): Float64Array {
  return Float64Array.from({ length: count }, (_, at) => {
    const rank = count - 1 - at;
    return rank < followedItems ? factor * transitionWeight(rank) : 0;
  });
}

/** Adds the contributions from one table, with one part per history item. */
function partsOf(
  table: RowTable,
  ranking: Ranking,
  history: Row,
  weights: Float64Array,
  parts: Part[][] = Array.from({ length: ranking.count }, () => []),
): Part[][] {
  const rankOf = new Map<number, number>();
  for (let rank = 0; rank < ranking.count; rank += 1) rankOf.set(ranking.item[rank] ?? 0, rank);
  const row = new Row();
  for (let at = 0; at < weights.length; at += 1) {
    const item = history.ints[history.start + at] ?? 0;
    const weight = weights[at] ?? 0;
    if (weight === 0) continue;
    table.read(item, row);
    for (let entry = 0; entry < row.count; entry += 1) {
      const rank = rankOf.get(row.ints[row.start + entry] ?? 0);
      if (rank === undefined) continue;
      const list = parts[rank] ?? [];
      const value = weight * (row.floats[row.start + row.count + entry] ?? 0);
      const known = list.find((part) => part.item === item);
      if (known === undefined) list.push({ item, value });
      else known.value += value;
    }
  }
  return parts;
}

/**
 * One reason for each item that contributes enough. In a long history, where no item does, the largest contributions together
 * are one reason.
 */
function reasonsOf(model: ModelReader, parts: Part[]): Finding[] {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  // With negative parts, the positive parts exceed the value; shares are then relative to the sum of the positive parts.
  const positive = parts.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value || a.item - b.item);
  const divisor = Math.max(total, positive.reduce((sum, { value }) => sum + value, 0));
  const strong = positive.filter(({ value }) => value >= minShare * divisor);
  const groups = strong.length > 0 ? strong.map((part) => [part]) : [largestParts(positive, minShare * divisor)];
  return groups.map((group) => ({
    kind: 'history',
    ids: group.slice(0, namedItems).map(({ item }) => model.ids.get(model.itemNode[item] ?? 0)),
    count: group.length,
    share: group.reduce((sum, { value }) => sum + value, 0) / (divisor || 1),
  }));
}

/** The fewest of the parts, largest first, that add up to `wanted`. */
function largestParts(sorted: readonly Part[], wanted: number): Part[] {
  let sum = 0;
  const end = sorted.findIndex(({ value }) => (sum += value) >= wanted);
  return sorted.slice(0, end + 1);
}
