import { exitCodes, type ExitCode } from '@vouch/platform/process/exitCodes';

/** Stopping a command by Ctrl-C or SIGTERM. */
export interface Stopping {
  signal: AbortSignal;
  /** 128 + the number of the signal that came, as a shell says it; null before one came. */
  exitCode(): ExitCode | null;
  /** Gives the signals back to the system. */
  forget(): void;
}

const codes = { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated, SIGHUP: exitCodes.hungUp } as const;

/** The first signal aborts, so that the command can tidy up; a second one ends the program at once. */
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
