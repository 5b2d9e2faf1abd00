import { startChild } from '../../packages/platform/process/childProcess.ts';
import { systemInterfaces } from '../../packages/platform/process/systemInterfaces.ts';

/** Imitates the CPU load of a training: a loop in one thread, started in the same way as trainings. @param niceness 0 to 19 */
export function startBurner(niceness: number): { processId: number; stop(): Promise<void> } {
  const burner = startChild({ command: process.execPath, args: ['-e', 'for (;;);'], niceness }, systemInterfaces.timers);
  burner.done.catch(() => undefined);
  // If the benchmark fails, it ends at once and ends the loop too.
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
