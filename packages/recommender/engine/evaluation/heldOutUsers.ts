import { createRandom } from '../linear/random.ts';
import type { SparseRows } from '../data/trainedModel.ts';

/** Maximum number of users whose lists the evaluation compares; more users would barely narrow the intervals. */
export const evaluatedUsers = 3000;

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
