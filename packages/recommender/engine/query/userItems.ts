import type { BestItems } from './bestItems.ts';
import { addColdItems, hasColdItems } from './coldItems.ts';
import type { TypeFilter } from './listOptions.ts';
import type { TypeLists } from './mergeTypes.ts';
import { centreIsotonic } from '../scores/centredIsotonic.ts';
import { operatorWeights } from '../time/historyWeights.ts';
import { followTransitions, mixTransitions, usesTransitions } from './transitions.ts';
import type { Row } from '../modelFile/wordRows.ts';
import type { RowReader, UserModel } from '../modelFile/userModel.ts';
import type { UserSums } from './userSums.ts';

/**
 * Maximum number of latest history items that are summed; a longer history (a crawler's) would block the process for seconds.
 */
export const maxHistory = 5000;
/** Minimum number of ranks over which scores are smoothed, so that a short list equals the beginning of a longer list. */
const smoothedRanks = 200;

/**
 * Marks the items that a user has seen or dislikes in `sums.seen`. The caller must call `forgetSeen` before the next user.
 * @returns number of items in the history
 */
export function markSeen(model: UserModel, user: number, sums: UserSums): number {
  model.history.read(user, sums.history);
  sums.disliked.count = 0;
  model.dislikes?.read(user, sums.disliked);
  mark(sums.history, sums, 1);
  mark(sums.disliked, sums, 1);
  return sums.history.count;
}

/** Removes the marks that `markSeen` set for the last user. */
export function forgetSeen(sums: UserSums): void {
  mark(sums.history, sums, 0);
  mark(sums.disliked, sums, 0);
}

function mark({ ints, start, count }: Row, { seen }: UserSums, value: 0 | 1): void {
  for (let at = start; at < start + count; at += 1) seen[ints[at] ?? 0] = value;
}

/**
 * Collects items for a user, one list per allowed type, without seen items. The ranking value is the weighted sum of the
 * operator rows of the history, mixed with transitions according to the model's setting. The reported score is the
 * mean of the scores of the pairs that led to the item, each weighted by its part of the ranking value, so that users' and
 * items' lists have the same scale; it is made non-increasing. If no item of the history has an operator row, the related
 * rows are used instead. The caller calls `markSeen` before.
 * @param hidden 1 for each item to leave out; null for none
 */
export function collectForUser(
  model: UserModel,
  user: number,
  types: TypeFilter,
  limit: number,
  sums: UserSums,
  lists: TypeLists,
  hidden: Uint8Array | null = null,
): void {
  sumForUser(model, user, sums);
  if (usesTransitions(model)) mixTransitions(model, sums);
  const depth = Math.max(limit, smoothedRanks);
  if (hidden !== null) dropHidden(hidden, sums);
  offerSums(model, types, depth, sums);
  for (const best of sums.takeBest()) pushList(best, sums, lists);
  sums.clear();
}

function dropHidden(hidden: Uint8Array, { item, value, touched }: UserSums): void {
  for (let at = 1; at <= touched; at += 1) if (hidden[item[at] ?? 0] === 1) value[at] = 0;
}

/** Offers each summed item to the best items of its type. */
function offerSums(model: UserModel, types: TypeFilter, depth: number, sums: UserSums): void {
  const { item, value, touched } = sums;
  const offer = (least: number, below: number): void => {
    for (let at = 1; at <= touched; at += 1) {
      const own = value[at] ?? 0;
      if (own <= 0 || own < least || own >= below) continue;
      const type = model.typeOfItem(item[at] ?? 0);
      if (types[type + 1] === 1) sums.bestOf(type, depth).offer(item[at] ?? 0, own);
    }
  };
  // With a single type, the usual case, values below the bound are skipped without reading the item's type.
  const only = types.indexOf(1) === types.lastIndexOf(1);
  const least = only ? sums.reachedBy(depth) : 0;
  offer(least, Number.POSITIVE_INFINITY);
  if (least > 0 && sums.bestOf(types.indexOf(1) - 1, depth).count < depth) offer(0, least);
}

/**
 * Sums the ranking values of a user's items, before transitions are mixed in. The caller calls `markSeen` before.
 */
export function sumForUser(model: UserModel, user: number, sums: UserSums): void {
  const summed = Math.min(sums.history.count, maxHistory);
  const weights = weighHistory(model, user, operatorWeights(summed, model.facts.setting.recency ?? false), sums.weights);
  sumRows(model.operator, weights, sums);
  const direct = sums.touched > 0;
  if (!direct) sumRows(model.related, weights, sums);
  else if (hasColdItems(model) || model.added !== null) addColdItems(model, user, summed, sums);
  pushAway(direct ? model.operator : model.related, sums);
  if (usesTransitions(model)) followTransitions(model, sums);
  sums.dropSeen();
}

/**
 * Multiplies the weights of the latest items of a history, oldest first, by what each item counts.
 * @param row reused
 */
export function weighHistory(model: Pick<UserModel, 'historyWeights'>, user: number, weights: Float64Array, row: Row): Float64Array {
  if (model.historyWeights === null) return weights;
  model.historyWeights.read(user, row);
  const first = row.start + row.count - weights.length;
  for (let at = 0; at < weights.length; at += 1) weights[at] = (weights[at] ?? 0) * (row.floats[first + at] ?? 1);
  return weights;
}

/** Adds the rows of disliked items with their weights below 0, so that similar items lose what the likes gave them. */
function pushAway(table: RowReader, sums: UserSums): void {
  const { disliked, row } = sums;
  for (let at = 0; at < Math.min(disliked.count, maxHistory); at += 1) {
    table.read(disliked.ints[disliked.start + at] ?? 0, row);
    sums.lowerByRow(disliked.floats[disliked.start + disliked.count + at] ?? 0);
  }
}

/** Adds the stored rows (item, value, score) of the latest history items, one item per weight. */
function sumRows(table: RowReader, weights: Float64Array, sums: UserSums): void {
  const { history, row } = sums;
  for (let at = 0; at < weights.length; at += 1) {
    table.read(history.ints[history.start + history.count - weights.length + at] ?? 0, row);
    sums.addRow(weights[at] ?? 0);
  }
}

function pushList(best: BestItems, sums: UserSums, lists: TypeLists): void {
  best.sort();
  const { entries } = lists;
  const start = entries.count;
  for (let rank = 0; rank < best.count; rank += 1) {
    const item = best.item[rank] ?? 0;
    const place = sums.place[item] ?? 0;
    const evidence = sums.evidence[place] ?? 0;
    // An item that only follows the history in time has no pair score, and gets a score between its neighbours' scores.
    const score = evidence > 0 ? Math.max(0, Math.min(1, (sums.score[place] ?? 0) / evidence)) : Number.NaN;
    entries.push(item, score, best.value[rank] ?? 0);
  }
  centreIsotonic(entries.value, entries.score, start, entries.count);
  lists.endList();
}
