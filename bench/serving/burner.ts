import { startChild } from '../../packages/platform/process/childProcess.ts';
import { realDoors } from '../../packages/platform/process/doors.ts';

/** What a training does to others by taking processor time alone: a loop in one thread, started as trainings are. */
export async function besideBurner<Result>(measure: () => Promise<Result>): Promise<Result> {
  const burner = startChild({ command: process.execPath, args: ['-e', 'for (;;);'], niceness: 19 }, realDoors.timers);
  burner.done.catch(() => undefined);
  try {
    return await measure();
  } finally {
    burner.stop({ kind: 'cancelled' });
    await burner.done.catch(() => undefined);
  }
}
