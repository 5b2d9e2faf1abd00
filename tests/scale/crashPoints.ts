import { crashAtPoints, type PointOperation } from '../crash/points/crashAtPoints.ts';
import { eventPoints } from '../crash/points/eventPoints.ts';
import { foldPoints } from '../crash/points/foldPoints.ts';
import { intakePoints, sendingPoints } from '../crash/points/gatewayPoints.ts';
import { trainPoints } from '../crash/points/trainPoints.ts';
import { uploadPoints } from '../crash/points/uploadPoints.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

/** Kills the program once at each point of an operation. Some operations leave out points without a change; see `quietPoints.ts`. */
function crashTest(operation: PointOperation, promise: string): HeavyTest {
  return {
    name: `crash-${operation.name}`,
    guarantee: `the program dies once before and after each change of this operation by an SQL statement, to a file, and by an HTTP request or answer: ${promise}`,
    skip: async () => (process.platform === 'linux' ? null : 'needs /proc'),
    async run(print) {
      const { points, kills, unreached, faults } = await crashAtPoints(operation, print);
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
  crashTest(eventPoints(), 'acknowledged interactions are stored once and count in lists, and can be repeated'),
  crashTest(foldPoints(), 'each event is in one batch'),
  crashTest(trainPoints(), 'a training completes once, and its version answers as one of an undisturbed training'),
  crashTest(intakePoints(), 'an accepted message is once on the chain, or ends with a reason'),
  crashTest(sendingPoints(), 'an accepted message is once on the chain, or ends with a reason, and the budgets equal the receipts'),
];
