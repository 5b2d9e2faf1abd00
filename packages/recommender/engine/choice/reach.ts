import { transpose } from '../matrix/transpose.ts';
import type { SparseRows } from '../data/trainedModel.ts';

/**
 * Share of held-out items that have a user in common with an item of the user's history. The other items can only be
 * recommended by a setting with all pairs. About a third to a half in sparse data, above nine tenths in dense data.
 * @param train histories without the held-out items
 * @param test held-out items of each user
 * @param users users to examine
 * @param items number of items
 */
export function reachOf(train: SparseRows, test: SparseRows, users: Int32Array, items: number): number {
  const audience = transpose(train, items);
  const isOwn = new Uint8Array(items);
  let wanted = 0;
  let reached = 0;
  for (const user of users) {
    const own = train.index.subarray(train.pointer[user], train.pointer[user + 1]);
    for (const item of own) isOwn[item] = 1;
    for (const item of test.index.subarray(test.pointer[user], test.pointer[user + 1])) {
      wanted++;
      const others = audience.index.subarray(audience.pointer[item], audience.pointer[item + 1]);
      if (others.some((other) => train.index.subarray(train.pointer[other], train.pointer[other + 1]).some((seen) => isOwn[seen] === 1))) reached++;
    }
    for (const item of own) isOwn[item] = 0;
  }
  return wanted === 0 ? 1 : reached / wanted;
}
