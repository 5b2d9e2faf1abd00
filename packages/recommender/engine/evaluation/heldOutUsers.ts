import { createRandom } from '../linear/random.ts';
import type { SparseRows } from '../data/trainedModel.ts';

/** Maximum number of users whose lists the evaluation compares; more users would barely narrow the intervals. */
export const evaluatedUsers = 3000;

/** Of long histories, the choice decides with at least this many users, or with other held-out items. */
export const fewestDeciding = 1000;
/**
 * Users with short histories of whom half decide: fewer are not divided. On nine of eleven parts of training files with 300 to 1,800 users, half of the users choose
 * as well as or better than all users with a second item hidden (bench/results/recommend-peers.md).
 */
const fewestDivided = 300;
/** With fewer items than this, a held-out item is more than a tenth of a history. */
const fullTenth = 10;

/**
 * Number of users whose lists the evaluation compares; the choice of the setting decides with the others, if there are any. Of short histories, the
 * evaluation leaves half of the users to the choice: to hide a second item of every user thins them so much that other settings win.
 * @param split split of all users
 */
export function countEvaluated({ train, test }: { train: SparseRows; test: SparseRows }): number {
  let users = 0;
  for (let user = 0; user + 1 < test.pointer.length; user++) if ((test.pointer[user + 1] as number) > (test.pointer[user] as number)) users++;
  if (users >= evaluatedUsers + fewestDeciding) return evaluatedUsers;
  const isShort = train.index.length + test.index.length < fullTenth * users;
  return isShort && users >= fewestDivided ? Math.floor(users / 2) : Math.min(evaluatedUsers, users);
}

/** Draws at most `most` users with held-out items. A longer draw with the same seed begins with the users of a shorter draw. */
export function drawHeldOut(test: SparseRows, most: number, seed: number): Int32Array {
  const users: number[] = [];
  for (let user = 0; user + 1 < test.pointer.length; user++) {
    if ((test.pointer[user + 1] as number) > (test.pointer[user] as number)) users.push(user);
  }
  const random = createRandom(seed);
  const wanted = Math.min(most, users.length);
  for (let place = 0; place < wanted; place++) {
    const from = place + random.below(users.length - place);
    [users[place], users[from]] = [users[from] as number, users[place] as number];
  }
  return Int32Array.from(users.slice(0, wanted));
}
