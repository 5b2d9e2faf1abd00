import type { ModelReader } from '../modelFile/openModel.ts';
import { Row, type RowTable } from '../modelFile/wordRows.ts';
import type { Ranking } from './ranking.ts';
import type { Reason } from './reason.ts';
import { historyMax } from './userItems.ts';

const namedItems = 10;

/** The part of one history item in the value of a recommended one. */
interface Part {
  item: number;
  value: number;
}

/**
 * Reasons of items for a user: the history items whose rows carry most of the sum that orders the list. An item that
 * no operator row reaches (few interactions) is explained by the related rows that brought it in.
 */
export function explainHistory(model: ModelReader, user: number, ranking: Ranking): Reason[][] {
  const parts = collectParts(model, model.operator, user, ranking);
  const unexplained = parts.some((list) => list.length === 0);
  const indirect = unexplained ? collectParts(model, model.related, user, ranking) : parts;
  return parts.map((list, rank) => reasonsOf(model, list.length > 0 ? list : (indirect[rank] ?? [])));
}

function collectParts(model: ModelReader, table: RowTable, user: number, ranking: Ranking): Part[][] {
  const parts: Part[][] = Array.from({ length: ranking.count }, () => []);
  const rankOf = new Map<number, number>();
  for (let rank = 0; rank < ranking.count; rank += 1) rankOf.set(ranking.item[rank] ?? 0, rank);
  const history = new Row();
  const row = new Row();
  model.history.read(user, history, Math.max(0, model.history.count(user) - historyMax));
  for (let at = 0; at < history.count; at += 1) {
    const item = history.ints[history.start + at] ?? 0;
    table.read(item, row);
    for (let entry = 0; entry < row.count; entry += 1) {
      const rank = rankOf.get(row.ints[row.start + entry] ?? 0);
      if (rank !== undefined) parts[rank]?.push({ item, value: row.floats[row.start + row.count + entry] ?? 0 });
    }
  }
  return parts;
}

function reasonsOf(model: ModelReader, parts: Part[]): Reason[] {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  // Negative parts make the positive ones add up to more than the value; they are measured against their own sum then.
  const positive = parts.filter(({ value }) => value > 0);
  const divisor = Math.max(total, positive.reduce((sum, { value }) => sum + value, 0));
  return positive
    .sort((a, b) => b.value - a.value || a.item - b.item)
    .slice(0, namedItems)
    .map(({ item, value }) => ({
      kind: 'history',
      ids: [model.ids.get(model.itemNode[item] ?? 0)],
      count: 1,
      share: value / divisor,
    }));
}
