import type { Search } from './choice.ts';
import type { Results } from './results.ts';
import type { Trial } from './trial.ts';
import type { OperatorSetting } from '../trainingData.ts';

/** Settings of each group of equal pu that are compared on all deciding users, beside the default. */
const finalists = 2;
/** Work that a search may do beside a training of any size, about eight seconds, which are of no matter. */
const leastAllowed = 8e9;
/** Otherwise it may do this share of the work of the training's factors and lists. */
const allowedShare = 0.75;

/** What a search works with. */
export interface Grounds {
  trial: Trial;
  results: Results;
  /** Work of the training's factors and lists, and how much the search may do. */
  training: number;
  allowed: number;
  /** Users that every setting is tried on, and those who decide. */
  firstUsers: number;
  users: number;
}

/** Work that a search may do beside a training. */
export function allowedWork(training: number): number {
  return Math.max(leastAllowed, allowedShare * training);
}

/**
 * Tries a grid in its order, group after group of equal pu and pa, which share their work, until the next group would take
 * more than the allowed share of the training's work. The first group is always tried.
 */
export function searchGrid(grid: readonly OperatorSetting[], grounds: Grounds): { chosen: OperatorSetting; search: Search } {
  const { trial, results, training, allowed, firstUsers, users } = grounds;
  const [first] = grid;
  const compared: OperatorSetting[] = [];
  let tried = 0;
  for (const group of groupsOf(grid, ({ pu }) => pu)) {
    const own: OperatorSetting[] = [];
    for (const part of groupsOf(group, ({ pa }) => pa)) {
      if (tried > 0 && workOf(trial) + expectedWork(part, grounds) > allowed) break;
      results.measure(part, firstUsers);
      own.push(...part);
      tried += part.length;
    }
    if (own.length === 0) break;
    const better = results.ordered(own.filter((setting) => setting !== first)).slice(0, finalists);
    const last = own.filter((setting) => setting === first || better.includes(setting));
    results.measure(last, users);
    compared.push(...last);
    if (own.length < group.length) break;
  }
  return {
    chosen: results.best(compared),
    search: {
      settings: grid.length, tried, ended: tried === grid.length ? 'all were tried' : 'its share was used up',
      used: workOf(trial) / training, allowed: allowed / training,
    },
  };
}

const workOf = (trial: Trial): number => trial.factorWork + trial.scoreWork;

/** What settings of a pu would take: factors, if they are not at hand, and scores as those before took. */
function expectedWork(part: readonly OperatorSetting[], { trial, results, firstUsers, users }: Grounds): number {
  const [{ pu } = { pu: 0 }] = part;
  const scored = part.length * firstUsers + Math.min(finalists, part.length) * (users - firstUsers);
  return trial.furtherFactors(pu) + (trial.scoreWork / results.scored) * scored;
}

/** Neighbours with the same key, together. */
function groupsOf(settings: readonly OperatorSetting[], keyOf: (setting: OperatorSetting) => number): OperatorSetting[][] {
  const groups: OperatorSetting[][] = [];
  for (const setting of settings) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && keyOf(last[0]) === keyOf(setting)) last.push(setting);
    else groups.push([setting]);
  }
  return groups;
}
