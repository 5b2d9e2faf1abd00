import { WrittenModel, type SharedModel } from '../modelFile/sharedModel.ts';
import { scoreUnits, storedListLimit } from '../modelFile/storedLists.ts';
import type { TypeFilter } from './listOptions.ts';
import { TypeLists } from './mergeTypes.ts';
import { Ranking } from './ranking.ts';
import { collectForUser, forgetSeen, markSeen } from './userItems.ts';
import { UserSums } from './userSums.ts';

/** Shared state of the threads that compute stored lists of users. Each thread takes the next users until none is left. */
export interface SharedLists {
  model: SharedModel;
  types: TypeFilter;
  users: Int32Array;
  /** Rows of the users, one after the other; each row has its items first, then as many scores. */
  rows: Int32Array;
  /** Number of entries per row. */
  length: number;
  /** Number of pieces taken so far. */
  taken: Int32Array;
}

/** Users per piece; few, so that all threads finish at about the same time. */
const pieceUsers = 128;

/** Runs one thread's share: takes pieces of users and writes their lists until no user is left. */
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

/**
 * Writes a list to a row. An empty list stays empty, because trending items depend on the requested types and are quick to
 * list.
 */
function encodeList({ count, item, score }: Ranking, row: Int32Array): void {
  const length = row.length / 2;
  for (let rank = 0; rank < count; rank += 1) {
    row[rank] = item[rank] ?? -1;
    row[length + rank] = Math.round((score[rank] ?? 0) * scoreUnits);
  }
  row.fill(-1, count, length);
}
