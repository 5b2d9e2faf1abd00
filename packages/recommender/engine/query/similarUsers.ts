import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import type { GivenHistory } from './givenHistory.ts';
import { namesOfItems } from './reasonText.ts';

/** Maximum number of users of items that are looked at to find candidates, rarest items first: some 20 ms. */
const maxRead = 100_000;
/** Factor by which more candidates are scored than are listed. */
const scoredPerListed = 10;
/** Items that an answer names per user. */
const namedItems = 10;

/** A user with items in common with the source. */
export interface SimilarUser {
  /** Node of the user. */
  node: number;
  /** Cosine of the two histories, each item weighted by its rarity; 0 to 1. */
  score: number;
  /** Number of items in common. */
  count: number;
  /** Ids of the first of these items, rarest first. */
  ids: string[];
  text: string;
}

/**
 * Finds the users with the most similar histories: the cosine of the sets of items, where an item that n of N users have weighs ln(1 + N/n) (as inverse
 * document frequency). Users who have one of the rarest items of the history are candidates; of more than 100,000 users of these items, only
 * the first are candidates. Candidates are scored by whole histories. What the model learned about an item's relations has no influence, so a user without an item in common
 * is never similar.
 * @param own node of the source; -1 for an entity that the model does not know
 * @param leavesOut whether a user may not be listed
 */
export function similarUsers(
  model: ModelReader, history: GivenHistory, { own, limit, leavesOut }: { own: number; limit: number; leavesOut: (id: string) => boolean },
): SimilarUser[] {
  const items = [...new Set(history.items)].sort((a, b) => (model.degree[a] ?? 0) - (model.degree[b] ?? 0) || a - b);
  const ownNorm = Math.sqrt(items.reduce((sum, item) => sum + rarity(model, item) ** 2, 0));
  if (ownNorm === 0) return [];
  const wanted = new Set(items);
  const found: SimilarUser[] = [];
  for (const user of candidates(model, items, own, limit * scoredPerListed)) {
    const node = model.userNode[user] ?? 0;
    if (leavesOut(model.ids.get(node))) continue;
    const scored = compare(model, user, wanted, ownNorm);
    if (scored !== null) found.push({ node, ...scored });
  }
  return found.sort((a, b) => b.score - a.score || a.node - b.node).slice(0, limit);
}

const rarity = ({ degree, facts }: ModelReader, item: number): number => Math.log(1 + facts.users / Math.max(1, degree[item] ?? 0));

/** Returns the users with the largest sums of squared rarities of common items, relative to the square root of their number of items. */
function candidates(model: ModelReader, items: readonly number[], own: number, limit: number): number[] {
  const sums = new Map<number, number>();
  const row = new Row();
  let read = 0;
  for (const item of items) {
    if (read === maxRead) break;
    model.audience.read(item, row);
    const count = Math.min(row.count, maxRead - read);
    read += count;
    const weight = rarity(model, item) ** 2;
    for (let at = row.start; at < row.start + count; at += 1) sums.set(row.ints[at] ?? 0, (sums.get(row.ints[at] ?? 0) ?? 0) + weight);
  }
  // The source itself is no candidate.
  if (own >= 0) sums.delete(model.nodeUser[own] ?? -1);
  return [...sums].map(([user, sum]) => ({ user, value: sum / Math.sqrt(model.history.count(user)) }))
    .sort((a, b) => b.value - a.value || a.user - b.user).slice(0, limit).map(({ user }) => user);
}

/** Compares a whole history with the wanted items; null without a common item. */
function compare(model: ModelReader, user: number, wanted: ReadonlySet<number>, norm: number): Omit<SimilarUser, 'node'> | null {
  const row = new Row();
  model.history.read(user, row);
  const shared: number[] = [];
  let squares = 0;
  let product = 0;
  for (let at = row.start; at < row.start + row.count; at += 1) {
    const item = row.ints[at] ?? 0;
    const square = rarity(model, item) ** 2;
    squares += square;
    if (!wanted.has(item)) continue;
    product += square;
    shared.push(item);
  }
  if (shared.length === 0) return null;
  shared.sort((a, b) => (model.degree[a] ?? 0) - (model.degree[b] ?? 0) || a - b);
  const ids = shared.slice(0, namedItems).map((item) => model.ids.get(model.itemNode[item] ?? 0));
  return { score: Math.min(1, product / (norm * Math.sqrt(squares))), count: shared.length, ids, text: `Both chose ${namesOfItems(model, ids, shared.length)}.` };
}
