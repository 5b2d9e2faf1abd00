import { containUncaught } from '@vouch/platform/process/containUncaught';
import closeWithGrace from 'close-with-grace';

/** Faults of native code: a listener would keep the process in an endless loop at the same instruction, so they end it. */
const fatalSignals = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGABRT'] as const;

/**
 * Runs until SIGTERM, SIGINT or an uncaught error that no job owns, then `stop`, at most `delayMs`; a second signal or such error
 * ends at once. `stop` is told what stopped it. The exit code is 1 after an error.
 */
export function untilStopped(stop: (because: string) => Promise<void>, delayMs: number): void {
  let crashed = false;
  const { close } = closeWithGrace({ delay: delayMs, skip: ['uncaughtException', 'unhandledRejection', ...fatalSignals] }, async ({ signal }) => {
    await stop(crashed ? 'an uncaught error' : (signal ?? 'the program itself'));
    if (crashed) process.exit(1);
  });
  containUncaught((error) => {
    process.stderr.write(`vouch: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    if (crashed) process.exit(1);
    crashed = true;
    close();
  });
}
