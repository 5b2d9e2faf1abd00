import type { History } from '../matrix/buildHistory.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import type { OperatorSetting } from '../data/trainingData.ts';
import { gainOf, requiredErrors, type Results } from './results.ts';
import type { Trial } from './trial.ts';

/**
 * Ways to use time, the first without any, in the order of how much of a list the latest interaction decides. Published improvements use
 * these shares of transitions.
 */
export const timeGrid: readonly Required<Pick<OperatorSetting, 'recency' | 'transitions'>>[] = [
  { recency: false, transitions: 0 },
  { recency: true, transitions: 0 },
  { recency: true, transitions: 0.3 },
  { recency: true, transitions: 0.5 },
  { recency: true, transitions: 0.7 },
];
/** A pause of this length ends a session, as in web analytics. */
const sessionGapMs = 30 * 60_000;

/**
 * Chooses how lists use time. Each way is compared with the best way that depends less on the latest interaction, and must be better by
 * more than chance for all held-out items, and better for the next item and for the next session. So no list depends mostly on
 * one interaction unless the data supports this at each of the three horizons.
 * @param base setting without time
 * @param users deciding users
 * @param ends of each of these users, see `horizonEnds`
 */
export function chooseTime(
  trial: Pick<Trial, 'measureHorizons'>, results: Pick<Results, 'add'>, base: OperatorSetting, users: Int32Array, ends: readonly Int32Array[],
): OperatorSetting {
  let chosen: { setting: OperatorSetting; measured: Float64Array[] } | null = null;
  for (const recency of [false, true]) {
    const ways = timeGrid.filter((way) => way.recency === recency).map((way) => ({ ...base, ...way }));
    const measured = trial.measureHorizons(ways, users, ends);
    for (const [at, setting] of ways.entries()) {
      const own = measured[at] as Float64Array[];
      results.add(setting, own.at(-1) as Float64Array);
      if (chosen === null || isBetter(own, chosen.measured)) chosen = { setting, measured: own };
    }
  }
  return chosen?.setting ?? base;
}

/** @param own results by horizon; the last horizon is all held-out items */
function isBetter(own: readonly Float64Array[], base: readonly Float64Array[]): boolean {
  return own.every((results, horizon) => {
    const { mean, error } = gainOf(results, base[horizon] as Float64Array);
    return mean > (horizon === own.length - 1 ? requiredErrors * error : 0);
  });
}

/**
 * For each horizon, the number of each user's held-out items that belong to the horizon: the next item, the next session, and all held-out
 * items. A user's held-out items follow the user's other items in time.
 * @param whole histories with times, of which `train` and `test` are parts
 */
export function horizonEnds(whole: History, train: SparseRows, test: SparseRows, users: Int32Array): Int32Array[] {
  const [item, session, all] = [new Int32Array(users.length), new Int32Array(users.length), new Int32Array(users.length)];
  users.forEach((user, place) => {
    const count = (test.pointer[user + 1] as number) - (test.pointer[user] as number);
    const first = (whole.pointer[user] as number) + (train.pointer[user + 1] as number) - (train.pointer[user] as number);
    let end = Math.min(1, count);
    while (end < count && (whole.time[first + end] as number) - (whole.time[first + end - 1] as number) <= sessionGapMs) end++;
    item[place] = Math.min(1, count);
    session[place] = end;
    all[place] = count;
  });
  return [item, session, all];
}
