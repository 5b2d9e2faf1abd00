import { exitCodes, type ExitCode } from '@vouch/platform/process/exitCodes';
import { CommandFault } from './commandFault.ts';

/** State of a command that Ctrl-C or SIGTERM can stop. */
export interface Stopping {
  signal: AbortSignal;
  /** 128 + the number of the received signal, as shells report it; null before a signal. */
  exitCode(): ExitCode | null;
  /** Restores the default handling of the signals. */
  forget(): void;
}

const codes = { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated, SIGHUP: exitCodes.hungUp } as const;

/**
 * Listens for stop signals. The first signal aborts `signal`, so that the command can clean up; a second signal ends the program
 * at once.
 */
export function stopWithSignals(): Stopping {
  const controller = new AbortController();
  let code: ExitCode | null = null;
  const listeners = Object.entries(codes).map(([name, exitCode]) => {
    const listener = (): void => {
      code = exitCode;
      forget();
      controller.abort(new Error(`stopped by ${name}`));
    };
    process.on(name, listener);
    return { name, listener };
  });
  const forget = (): void => {
    for (const { name, listener } of listeners) process.off(name, listener);
  };
  return { signal: controller.signal, exitCode: () => code, forget };
}

/**
 * Runs the work of a command that Ctrl-C or SIGTERM can stop. The first signal aborts `signal`, which the work ends on.
 * @param describe what is left of the work, as the sentence of the command
 * @throws CommandFault with the exit code of the signal; what the work throws without a signal
 */
export async function runStoppable<Result>(work: (signal: AbortSignal) => Promise<Result>, describe: () => string): Promise<Result> {
  const stopping = stopWithSignals();
  try {
    return await work(stopping.signal);
  } catch (error) {
    const code = stopping.exitCode();
    throw code === null ? error : new CommandFault(code, describe(), { cause: error });
  } finally {
    stopping.forget();
  }
}
