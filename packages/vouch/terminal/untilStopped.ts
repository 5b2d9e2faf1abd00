import { containUncaught } from '@vouch/platform/process/containUncaught';
import closeWithGrace from 'close-with-grace';
import { fatalSignals, findSupervisor, type Supervisor } from './supervisor.ts';

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;

/**
 * Keeps the process running until SIGTERM, SIGINT or an uncaught error outside of jobs, then calls `stop` with the reason and
 * waits at most `delayMs` milliseconds. A second signal or uncaught error ends the process at once. The exit code after an error
 * is 1.
 */
export function untilStopped(stop: (because: string) => Promise<void>, delayMs: number): void {
  const supervisor = findSupervisor();
  let crashed = false;
  let asked: string | null = null;
  const skip = ['uncaughtException' as const, 'unhandledRejection' as const, ...fatalSignals, ...(supervisor === null ? [] : stopSignals)];
  const { close } = closeWithGrace({ delay: delayMs, skip }, async ({ signal }) => {
    await stop(crashed ? 'an uncaught error' : (signal ?? asked ?? 'the program itself'));
    if (crashed) process.exit(1);
  });
  containUncaught((error) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    supervisor?.fail(text);
    process.stderr.write(`vouch: ${text}\n`);
    if (crashed) process.exit(1);
    crashed = true;
    close();
  });
  if (supervisor === null) return;
  hearStops(supervisor, (signal) => {
    asked = signal;
    close();
  });
  supervisor.serving();
}

/**
 * Counts stop signals. A terminal sends its signal both to this process and to the supervisor, which forwards it; the two count
 * as one signal. A second signal ends the process.
 */
function hearStops(supervisor: Supervisor, stop: (signal: string) => void): void {
  let [got, told, heard] = [0, 0, 0];
  const hear = (signal: string): void => {
    const before = heard;
    heard = Math.max(got, told);
    if (heard > 1) process.exit(1);
    if (before === 0) stop(signal);
  };
  for (const name of stopSignals) process.on(name, () => { got += 1; hear(name); });
  supervisor.onStop((stops, signal) => { told = stops; hear(signal); });
}
