import { WrittenModel, type SharedModel } from '../modelFile/sharedModel.ts';
import { scoreUnits, storedListLimit } from '../modelFile/storedLists.ts';
import type { TypeFilter } from './listOptions.ts';
import { TypeLists } from './mergeTypes.ts';
import { Ranking } from './ranking.ts';
import { collectForUser, forgetSeen, markSeen } from './userItems.ts';
import { UserSums } from './userSums.ts';

/** Stored lists of some users as threads make them: each takes the next users until none is left. */
export interface SharedLists {
  model: SharedModel;
  types: TypeFilter;
  users: Int32Array;
  /** Rows of the users, one after the other: items, then as many scores. */
  rows: Int32Array;
  /** Entries of a row. */
  length: number;
  /** Counts the pieces that were taken. */
  taken: Int32Array;
}

/** So few that threads end together. */
const pieceUsers = 128;

/** The part of a thread. */
export function listUsers({ model: parts, types, users, rows, length, taken }: SharedLists): void {
  const model = new WrittenModel(parts);
  const sums = new UserSums(parts.facts.items);
  const lists = new TypeLists();
  const ranking = new Ranking();
  for (let first = take(taken); first < users.length; first = take(taken)) {
    for (let at = first; at < Math.min(users.length, first + pieceUsers); at += 1) {
      lists.clear();
      markSeen(model, users[at] ?? 0, sums);
      collectForUser(model, users[at] ?? 0, types, storedListLimit, sums, lists);
      forgetSeen(sums);
      lists.mergeInto(ranking, storedListLimit);
      encodeList(ranking, rows.subarray(at * 2 * length, (at + 1) * 2 * length));
    }
  }
}

const take = (taken: Int32Array): number => pieceUsers * Atomics.add(taken, 0, 1);

/** A list that is empty stays so: trending items change with the types that are asked for and are quick to list. */
function encodeList({ count, item, score }: Ranking, row: Int32Array): void {
  const length = row.length / 2;
  for (let rank = 0; rank < count; rank += 1) {
    row[rank] = item[rank] ?? -1;
    row[length + rank] = Math.round((score[rank] ?? 0) * scoreUnits);
  }
  row.fill(-1, count, length);
}
