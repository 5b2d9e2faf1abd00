import { crashAtPoints, type PointOperation } from '../crash/points/crashAtPoints.ts';
import { uploadPoints } from '../crash/points/uploadPoints.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

/** Kills the program once at each point of an operation. */
function crashTest(operation: PointOperation, promise: string): HeavyTest {
  return {
    name: `crash-${operation.name}`,
    guarantee: `the program dies once before and after each statement, change of a file and HTTP request of this operation: ${promise}`,
    skip: async () => (process.platform === 'linux' ? null : 'needs /proc'),
    async run(print) {
      const { points, kills, unreached, faults } = await crashAtPoints(operation, (point, at, of) => print(`${at} of ${of}: ${point.slice(0, 160)}`));
      for (const point of unreached) print(`not reached: ${point}`);
      for (const fault of faults) print(fault);
      print(`${points} points, ${kills} kills, ${unreached.length} points not reached in 3 attempts, ${faults.length} faults`);
      expectEqual('faults', faults, []);
      expectEqual('points that were not reached', unreached, []);
    },
  };
}

export const crashTests: readonly HeavyTest[] = [
  crashTest(uploadPoints(), 'an upload is stored once and whole, or not at all, and can be repeated'),
];
