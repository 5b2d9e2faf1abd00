import { backupPoints, restorePoints } from './backupPoints.ts';
import { crashAtPoints, type CrashPlan, type PointOperation, type PointsReport } from './crashAtPoints.ts';
import { crashChildrenAtPoints } from './crashChildren.ts';
import { crashCommandAtPoints, type PointCommand } from './crashCommand.ts';
import { eventPoints } from './eventPoints.ts';
import { foldPoints } from './foldPoints.ts';
import { intakePoints, reorganizingPoints, replacingPoints, sendingPoints } from './gatewayPoints.ts';
import { readingPoints } from './readingPoints.ts';
import { trainPoints } from './trainPoints.ts';
import { uploadPoints } from './uploadPoints.ts';
import { videoPoints } from './videoPoints.ts';

/** An operation that the program can be killed in at each point. */
export interface CrashedOperation {
  name: string;
  /** What holds whenever the program dies. */
  promise: string;
  /** Whether it changes files of the data folder or of a backup. */
  writesFiles: boolean;
  crash(print: (line: string) => void, plan?: CrashPlan): Promise<PointsReport>;
}

// Each call makes the operation anew, because an operation remembers what was acknowledged.
const serving = (make: () => PointOperation, promise: string, { writesFiles = true } = {}): CrashedOperation =>
  ({ name: make().name, promise, writesFiles, crash: (print, plan) => crashAtPoints(make(), print, plan) });
const command = (make: () => PointCommand, promise: string): CrashedOperation =>
  ({ name: make().name, promise, writesFiles: true, crash: (print, plan) => crashCommandAtPoints(make(), print, plan) });

export const operations: readonly CrashedOperation[] = [
  serving(uploadPoints, 'an upload is stored once and whole, or not at all, and can be repeated'),
  serving(eventPoints, 'acknowledged interactions are stored once and count in lists, and can be repeated', { writesFiles: false }),
  serving(foldPoints, 'each event is in one batch'),
  serving(trainPoints, 'a training completes once, and its version answers as one of an undisturbed training'),
  serving(videoPoints, 'a video run completes once, with the segments of an undisturbed run and all of its files, and no process of it lives on'),
  serving(intakePoints, 'an accepted message is once on the chain, or ends with a reason', { writesFiles: false }),
  serving(sendingPoints, 'an accepted message is once on the chain, or ends with a reason, and the budgets equal the receipts', { writesFiles: false }),
  serving(replacingPoints, 'an accepted message is once on the chain, or ends with a reason, and the budgets equal the receipts', { writesFiles: false }),
  serving(reorganizingPoints, 'an accepted message is once on the chain, or ends with a reason, and the budgets equal the receipts', { writesFiles: false }),
  command(backupPoints, 'a restore refuses the folder, or the backup is complete, and another backup is not hindered'),
  command(restorePoints, 'another restore completes, or refuses because all is there'),
];

const children = (make: () => PointOperation, promise: string): CrashedOperation =>
  ({ name: `children-${make().name}`, promise, writesFiles: true, crash: (print, plan) => crashChildrenAtPoints(make(), print, plan) });

/** Operations whose child processes can be killed at each point, while the program lives. */
export const childOperations: readonly CrashedOperation[] = [
  children(trainPoints, 'the training completes in the same server, and its version answers as one of an undisturbed training'),
  // With an ffmpeg of the machine, other processes decode and encode.
  children(() => videoPoints({ FFMPEG_PATH: 'none' }), 'the run completes in the same server, with the segments of an undisturbed run and all of its files'),
  children(readingPoints, 'the upload is stored whole, or refused with upload-interrupted and stored nothing, and its rows count in lists'),
];
