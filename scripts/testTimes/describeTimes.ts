import { budgetOf, budgets } from '../../vitest.budgets.ts';

/** Duration of a test file in seconds, including imports, hooks and tests. */
export interface FileTime {
  /** Relative to the root of the repository, with slashes. */
  path: string;
  seconds: number;
}

/** Shorter files are never reported, because their share of a run is not meaningful. */
const shownSeconds = 5;

/**
 * Formats the times of a complete run: the share of each group of tests ("room"), and the files and groups that exceed their
 * budgets in vitest.budgets.ts.
 */
export function describeTimes(files: readonly FileTime[]): string {
  const total = sum(files);
  const rooms = budgets
    .map((budget) => ({ ...budget, files: files.filter(({ path }) => budgetOf(path)?.room === budget.room) }))
    .filter((room) => room.files.length > 0);
  const lines = rooms
    .map((room) => ({ ...room, seconds: sum(room.files) }))
    .toSorted((left, right) => right.seconds - left.seconds)
    .map(({ room, seconds, all, files: members }) => {
      const over = percent(seconds, total) > all ? '  exceeds its budget' : '';
      return `${room.padEnd(24)}${String(members.length).padStart(6)}${seconds.toFixed(0).padStart(9)}${share(seconds, total).padStart(9)}${`${all} %`.padStart(9)}${over}`;
    });
  const long = files
    .filter(({ path, seconds }) => seconds >= shownSeconds && percent(seconds, total) > (budgetOf(path)?.file ?? 0))
    .toSorted((left, right) => right.seconds - left.seconds)
    .map(({ path, seconds }) => `${path}: ${seconds.toFixed(0)} s, ${share(seconds, total)} of the run; budget ${budgetOf(path)?.file ?? 0} %`);
  return [
    'room                     files  seconds    share   budget',
    ...lines,
    long.length === 0 ? 'No test file exceeds its budget (vitest.budgets.ts).' : 'Test files that exceed their budget (vitest.budgets.ts):',
    ...long,
  ].join('\n');
}

function sum(files: readonly FileTime[]): number {
  return files.reduce((seconds, file) => seconds + file.seconds, 0);
}

function percent(seconds: number, total: number): number {
  return total === 0 ? 0 : (100 * seconds) / total;
}

function share(seconds: number, total: number): string {
  return `${percent(seconds, total).toFixed(1)} %`;
}
