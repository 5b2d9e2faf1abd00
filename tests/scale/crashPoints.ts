import { backupPoints, restorePoints } from '../crash/points/backupPoints.ts';
import { crashCommandAtPoints, type PointCommand } from '../crash/points/crashCommand.ts';
import { crashAtPoints, type PointOperation, type PointsReport } from '../crash/points/crashAtPoints.ts';
import { eventPoints } from '../crash/points/eventPoints.ts';
import { foldPoints } from '../crash/points/foldPoints.ts';
import { intakePoints, sendingPoints } from '../crash/points/gatewayPoints.ts';
import { trainPoints } from '../crash/points/trainPoints.ts';
import { uploadPoints } from '../crash/points/uploadPoints.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

/** Kills the program once at each point of an operation. */
function crashTest(name: string, promise: string, crash: (print: (line: string) => void) => Promise<PointsReport>): HeavyTest {
  return {
    name: `crash-${name}`,
    guarantee: `the program dies once before and after each change of this operation by an SQL statement, to a file, and by an HTTP request or answer: ${promise}`,
    skip: async () => (process.platform === 'linux' ? null : 'needs /proc'),
    async run(print) {
      const { points, kills, unreached, faults } = await crash(print);
      for (const point of unreached) print(`not reached: ${point}`);
      for (const fault of faults) print(fault);
      print(`${points} points, ${kills} kills, ${unreached.length} points not reached in 3 attempts, ${faults.length} faults`);
      expectEqual('faults', faults, []);
      expectEqual('points that were not reached', unreached, []);
    },
  };
}

const serving = (operation: PointOperation, promise: string): HeavyTest => crashTest(operation.name, promise, (print) => crashAtPoints(operation, print));
const command = (of: PointCommand, promise: string): HeavyTest => crashTest(of.name, promise, (print) => crashCommandAtPoints(of, print));

export const crashTests: readonly HeavyTest[] = [
  serving(uploadPoints(), 'an upload is stored once and whole, or not at all, and can be repeated'),
  serving(eventPoints(), 'acknowledged interactions are stored once and count in lists, and can be repeated'),
  serving(foldPoints(), 'each event is in one batch'),
  serving(trainPoints(), 'a training completes once, and its version answers as one of an undisturbed training'),
  serving(intakePoints(), 'an accepted message is once on the chain, or ends with a reason'),
  serving(sendingPoints(), 'an accepted message is once on the chain, or ends with a reason, and the budgets equal the receipts'),
  command(backupPoints(), 'a restore refuses the folder, or the backup is complete, and another backup is not hindered'),
  command(restorePoints(), 'another restore completes, or refuses because all is there'),
];
