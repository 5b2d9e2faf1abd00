import type { PointsReport } from '../crash/points/crashAtPoints.ts';
import { childOperations, operations, type CrashedOperation } from '../crash/points/operations.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

/** Kills the program once at each point of an operation. */
function crashTest({ name, promise, crash }: CrashedOperation): HeavyTest {
  return {
    name: `crash-${name}`,
    guarantee: `the program dies once before and after each change of this operation by an SQL statement, to a file, and by an HTTP request or answer: ${promise}`,
    skip: async () => (process.platform === 'linux' ? null : 'needs /proc'),
    async run(print) {
      conclude([await crash(print)], 'kills', print);
    },
  };
}

/**
 * Takes the power at each point after a change: the disk keeps only what was synced. Once it loses unsynced entries of folders too, and once it keeps these,
 * because a file system may write them before the content.
 */
function powerTest({ name, promise, crash }: CrashedOperation): HeavyTest {
  return {
    name: `power-${name}`,
    guarantee: `the power fails once after each change of this operation, with and without the loss of unsynced entries of folders: ${promise}`,
    skip: async () => (process.platform === 'linux' ? null : 'needs /proc'),
    async run(print) {
      const reports: PointsReport[] = [];
      for (const death of ['power', 'powerKeepsNames'] as const) reports.push(await crash(print, { death, near: /^\d+ after / }));
      conclude(reports, 'losses of power', print);
    },
  };
}

/** Expression for the points of child processes at which one dies, for example `^1 before`. */
const only = process.env['VOUCH_TEST_CHILD_POINTS'] ?? '';

/** Kills a child process of the program once at each point of an operation. */
function childTest({ name, promise, crash }: CrashedOperation): HeavyTest {
  return {
    name,
    variables: ['VOUCH_TEST_CHILD_POINTS'],
    guarantee: `a child process dies once at each message, change of a file, call of a native library, use of a pipe and end of each child of this operation, while the server lives: ${promise}`,
    skip: async () => (process.platform === 'linux' ? null : 'needs /proc'),
    async run(print) {
      conclude([await crash(print, { near: new RegExp(only) })], 'kills', print);
    },
  };
}

function conclude(reports: readonly PointsReport[], deaths: string, print: (line: string) => void): void {
  const unreached = reports.flatMap((report) => report.unreached);
  const faults = reports.flatMap((report) => report.faults);
  const sum = (of: 'points' | 'kills'): number => reports.reduce((total, report) => total + report[of], 0);
  for (const point of unreached) print(`not reached: ${point}`);
  for (const fault of faults) print(fault);
  print(`${sum('points')} points, ${sum('kills')} ${deaths}, ${unreached.length} points not reached in 3 attempts, ${faults.length} faults`);
  expectEqual('faults', faults, []);
  expectEqual('points that were not reached', unreached, []);
}

export const crashTests: readonly HeavyTest[] = [...operations.map(crashTest), ...operations.filter(({ writesFiles }) => writesFiles).map(powerTest), ...childOperations.map(childTest)];
