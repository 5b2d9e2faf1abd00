import { createRandom } from '../linear/random.ts';
import type { Split } from '../evaluation/splitHistory.ts';
import type { History } from '../matrix/buildHistory.ts';
import type { SparseRows } from '../data/trainedModel.ts';

/**
 * Keeps whole users of a split, deciding users first, until they have `limit` interactions. The rows of the other users
 * become empty, so that user numbers do not change. A split with fewer interactions is returned unchanged.
 */
export function sampleUsers(split: Split, users: Int32Array, limit: number, seed: number): Split & { users: Int32Array } {
  const { train, test } = split;
  if (train.index.length <= limit) return { train, test, users };
  const count = train.pointer.length - 1;
  const random = createRandom(seed + 5);
  const order = Int32Array.from({ length: count }, (_, user) => user);
  for (let place = count - 1; place > 0; place--) {
    const from = random.below(place + 1);
    [order[place], order[from]] = [order[from] as number, order[place] as number];
  }
  const kept = new Uint8Array(count);
  let entries = 0;
  const keep = (user: number): void => {
    if (kept[user] === 1 || entries >= limit) return;
    kept[user] = 1;
    entries += (train.pointer[user + 1] as number) - (train.pointer[user] as number);
  };
  users.forEach(keep);
  order.forEach(keep);
  return { train: keepTimes(train, kept), test, users: users.filter((user) => kept[user] === 1) };
}

function keepTimes(history: History, kept: Uint8Array): History {
  const { pointer, index } = keepRows(history, kept);
  const time = new Float64Array(index.length);
  for (let user = 0; user < kept.length; user++) {
    if (kept[user] === 0) continue;
    time.set(history.time.subarray(history.pointer[user], history.pointer[user + 1]), pointer[user]);
  }
  return { pointer, index, time };
}

function keepRows(rows: SparseRows, kept: Uint8Array): SparseRows {
  const pointer = new Float64Array(rows.pointer.length);
  for (let row = 0; row < kept.length; row++) {
    const length = kept[row] === 1 ? (rows.pointer[row + 1] as number) - (rows.pointer[row] as number) : 0;
    pointer[row + 1] = (pointer[row] as number) + length;
  }
  const index = new Int32Array(pointer[kept.length] as number);
  for (let row = 0; row < kept.length; row++) {
    if (kept[row] === 1) index.set(rows.index.subarray(rows.pointer[row], rows.pointer[row + 1]), pointer[row]);
  }
  return { pointer, index };
}
