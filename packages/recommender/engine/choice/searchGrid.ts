import type { Search } from './choice.ts';
import type { Results } from './results.ts';
import type { Trial } from './trial.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** Settings at most that are compared on all deciding users when a group has been tried. */
const finalists = 4;
/** Work that a search may do beside a training of any size, about eight seconds, which are of no matter. */
const minAllowed = 8e9;
/** Otherwise it may do this share of the work of the training's factors and lists. */
const allowedShare = 1.25;

/** What a search works with. */
interface Grounds {
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
  return Math.max(minAllowed, allowedShare * training);
}

/**
 * Tries a grid in its order, group after group of equal pu and pa, which share their work, until the next group would take
 * more than the allowed share of the training's work. The first group is always tried. While the factors of a pu are at hand,
 * those of its settings that may still be the best of all are compared on all users, and the first, which the others have to beat.
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

/** What settings of a pu would take: factors, if they are not at hand, and scores as those before took. */
function expectedWork(settings: readonly OperatorSetting[], users: number, { trial, results }: Grounds): number {
  const [{ pu } = { pu: 0 }] = settings;
  return trial.furtherFactors(pu) + (trial.scoreWork / results.scored) * settings.length * users;
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
