import type { Search } from './choice.ts';
import type { Results } from './results.ts';
import type { Trial } from './trial.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** Maximum number of settings that are compared on all deciding users after each group. */
const finalists = 4;
/** Work that a search may always do, about eight seconds, regardless of the size of the training. */
const minAllowed = 8e9;
/** For larger trainings: maximum work of a search as a share of the work of the training's factors and lists. */
const allowedShare = 1.25;

/** Input of a search. */
interface Grounds {
  trial: Trial;
  results: Results;
  /** Work of the training's factors and lists, and maximum work of the search. */
  training: number;
  allowed: number;
  /** Number of users on whom every setting is tried, and number of all deciding users. */
  firstUsers: number;
  users: number;
}

/** Maximum work of a search, for a training with the given work. */
export function allowedWork(training: number): number {
  return Math.max(minAllowed, allowedShare * training);
}

/**
 * Tries a grid in its order, in groups of equal pu and pa, which share work, until the next group would exceed the allowed
 * work. The first group is always tried. After the settings of a pu, while its factors are in memory, the search measures two
 * kinds of these settings on all users: the settings that may still be the best overall, and the first setting of the grid,
 * which the others must exceed.
 */
export function searchGrid(grid: readonly OperatorSetting[], grounds: Grounds): { chosen: OperatorSetting; search: Search } {
  const { trial, results, training, allowed, firstUsers, users } = grounds;
  const first = grid[0] as OperatorSetting;
  let left: OperatorSetting[] = [];
  let tried = 0;
  const hasRoom = (settings: readonly OperatorSetting[], lists: number): boolean =>
    workOf(trial) + expectedWork(settings, lists, grounds) <= allowed;
  for (const group of groupsOf(grid, ({ pu }) => pu)) {
    const own: OperatorSetting[] = [];
    for (const part of groupsOf(group, ({ pa }) => pa)) {
      if (tried > 0 && !hasRoom(part, firstUsers)) break;
      results.measure(part, firstUsers);
      own.push(...part);
      tried += part.length;
    }
    left = results.contenders([...left, ...own], finalists);
    const further = own.filter((setting) => setting === first || left.includes(setting));
    if (further.length > 0 && hasRoom(further, users - firstUsers)) results.measure(further, users);
    if (own.length < group.length) break;
  }
  return {
    chosen: results.best(left, first),
    search: {
      settings: grid.length, tried, ended: tried === grid.length ? 'all were tried' : 'its share was used up',
      used: workOf(trial) / training, allowed: allowed / training,
    },
  };
}

const workOf = (trial: Trial): number => trial.factorWork + trial.scoreWork;

/** Expected work of settings with one pu: factors, if they are not in memory, and scores at the average cost so far. */
function expectedWork(settings: readonly OperatorSetting[], users: number, { trial, results }: Grounds): number {
  const [{ pu } = { pu: 0 }] = settings;
  return trial.furtherFactors(pu) + (trial.scoreWork / results.scored) * settings.length * users;
}

/** Groups consecutive settings with the same key. */
function groupsOf(settings: readonly OperatorSetting[], keyOf: (setting: OperatorSetting) => number): OperatorSetting[][] {
  const groups: OperatorSetting[][] = [];
  for (const setting of settings) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && keyOf(last[0]) === keyOf(setting)) last.push(setting);
    else groups.push([setting]);
  }
  return groups;
}
