import { createRandom } from '../linear/random.ts';
import type { Split } from '../evaluation/splitHistory.ts';
import type { History } from '../matrix/buildHistory.ts';
import type { SparseRows } from '../data/trainedModel.ts';

/** With at least this many items, one held-out item is at most a tenth of a user's history. */
const fullTenth = 10;

/**
 * Gives held-out items back to random users with fewer than ten items, so that the split hides about a tenth of the
 * interactions. A split hides at least one item of every user, a fifth of data with five items a user, and such thinned data
 * prefers other settings than the whole data.
 * @param whole histories before the split
 * @param kept users whose items stay held out
 */
export function giveBack(whole: History, { train, test }: Split, kept: Int32Array, seed: number): Split {
  const users = whole.pointer.length - 1;
  const random = createRandom(seed);
  const isBack = new Uint8Array(users);
  for (let user = 0; user < users; user++) {
    const count = (whole.pointer[user + 1] as number) - (whole.pointer[user] as number);
    isBack[user] = random.uniform() >= count / fullTenth ? 1 : 0;
  }
  for (const user of kept) isBack[user] = 0;
  if (!isBack.includes(1)) return { train, test };
  const rows = (given: SparseRows, returned: SparseRows | null): Float64Array => {
    const pointer = new Float64Array(users + 1);
    for (let user = 0; user < users; user++) {
      const from = isBack[user] === 1 ? returned : given;
      pointer[user + 1] = (pointer[user] as number) + (from === null ? 0 : (from.pointer[user + 1] as number) - (from.pointer[user] as number));
    }
    return pointer;
  };
  const pointer = rows(train, whole);
  const history: History = { pointer, index: new Int32Array(pointer[users] as number), time: new Float64Array(pointer[users] as number) };
  const testPointer = rows(test, null);
  const held = new Int32Array(testPointer[users] as number);
  for (let user = 0; user < users; user++) {
    const from = isBack[user] === 1 ? whole : train;
    history.index.set(from.index.subarray(from.pointer[user], from.pointer[user + 1]), pointer[user]);
    history.time.set(from.time.subarray(from.pointer[user], from.pointer[user + 1]), pointer[user]);
    if (isBack[user] === 0) held.set(test.index.subarray(test.pointer[user], test.pointer[user + 1]), testPointer[user]);
  }
  return { train: history, test: { pointer: testPointer, index: held } };
}
