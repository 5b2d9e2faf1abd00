import type { History } from '../matrix/buildHistory.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import type { OperatorSetting } from '../data/trainingData.ts';
import { clearErrors, gainOf, joined, requiredErrors, type Results } from './results.ts';
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
/** Number of users after whom ways that are clearly worse are not measured further. To decide on 1,000 users alone takes other shares of transitions on data with 6 interactions a user (bench/results/recommend-peers.md). */
const firstTimed = 500;
/** A pause of this length ends a session, as in web analytics. */
const sessionGapMs = 30 * 60_000;

/** A way to use time, and its results by horizon; the last horizon is all held-out items. */
interface MeasuredWay {
  setting: OperatorSetting;
  measured: Float64Array[];
}

/**
 * Chooses how lists use time. Each way is compared with the best way that depends less on the latest interaction, and must be better by
 * more than chance for all held-out items, and better for the next item and for the next session. So no list depends mostly on
 * one interaction unless the data supports this at each of the three horizons. Ways that the first users show to be clearly worse are not measured on the others.
 * @param base setting without time
 * @param users deciding users
 * @param ends of each of these users, see `horizonEnds`
 */
export function chooseTime(
  trial: Pick<Trial, 'measureHorizons'>, results: Pick<Results, 'add'>, base: OperatorSetting, users: Int32Array, ends: readonly Int32Array[],
): OperatorSetting {
  const first = measureWays(trial, timeGrid.map((way) => ({ ...base, ...way })), users, ends, 0, firstTimed);
  const open = users.length > firstTimed ? openWays(first) : [];
  const further = measureWays(trial, open.map(({ setting }) => setting), users, ends, firstTimed, users.length);
  for (const [at, { setting, measured }] of further.entries()) {
    const before = open[at]?.measured ?? [];
    further[at] = { setting, measured: measured.map((own, horizon) => joined([before[horizon] ?? new Float64Array(0), own])) };
  }
  const known = new Map([...first, ...further].map((way) => [way.setting, way.measured]));
  for (const [setting, measured] of known) results.add(setting, allOf(measured));
  return bestWay(further.length > 0 ? further : first).setting;
}

/** Measures ways in their order on the users from `start` to `end`, those with the same weights of histories together. */
function measureWays(
  trial: Pick<Trial, 'measureHorizons'>, ways: readonly OperatorSetting[], users: Int32Array, ends: readonly Int32Array[], start: number, end: number,
): MeasuredWay[] {
  return [false, true].flatMap((recency) => {
    const own = ways.filter((way) => way.recency === recency);
    if (own.length === 0) return [];
    const measured = trial.measureHorizons(own, users.subarray(start, end), ends.map((each) => each.subarray(start, end)));
    return own.map((setting, at) => ({ setting, measured: measured[at] as Float64Array[] }));
  });
}

/** The way that would be chosen, and the ways that are not clearly worse than the best for all held-out items, in their order. */
function openWays(ways: readonly MeasuredWay[]): MeasuredWay[] {
  const chosen = bestWay(ways);
  const best = ways.reduce((most, way) => (gainOf(allOf(way.measured), allOf(most.measured)).mean > 0 ? way : most));
  return ways.filter((way) => {
    const { mean, error } = gainOf(allOf(way.measured), allOf(best.measured));
    return way === chosen || mean >= -clearErrors * error;
  });
}

function bestWay(ways: readonly MeasuredWay[]): MeasuredWay {
  return ways.reduce((chosen, way) => (isBetter(way.measured, chosen.measured) ? way : chosen));
}

const allOf = (measured: readonly Float64Array[]): Float64Array => measured.at(-1) as Float64Array;

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
