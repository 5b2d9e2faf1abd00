import { startChild } from '../../packages/platform/process/childProcess.ts';
import { realDoors } from '../../packages/platform/process/doors.ts';

/** What a training does to others by taking processor time alone: a loop in one thread, started as trainings are. */
export function startBurner(): { processId: number; stop(): Promise<void> } {
  const burner = startChild({ command: process.execPath, args: ['-e', 'for (;;);'], niceness: 19 }, realDoors.timers);
  burner.done.catch(() => undefined);
  // A bench that fails ends at once, and the loop with it.
  burner.hold(false);
  if (burner.pid === null) throw new Error('the loop beside which the server is loaded did not start');
  return {
    processId: burner.pid,
    async stop() {
      burner.stop({ kind: 'cancelled' });
      await burner.done.catch(() => undefined);
    },
  };
}
