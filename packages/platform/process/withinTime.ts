import type { Timers } from './systemInterfaces.ts';

interface TimeLimit {
  timeoutMs: number;
  timers: Timers;
  /** Makes the error that is thrown at the time limit. */
  fault: () => Error;
  /** Stops the call earlier. */
  signal?: AbortSignal | undefined;
}

/**
 * Calls `run` with a signal that aborts at the time limit. Returns by then even if `run` ignores the signal. The timer does not keep
 * the process alive.
 * @throws the error of `fault`; the reason of `signal`; the error of `run`
 * @example
 * const answer = await withinTime({ timeoutMs: 5_000, timers, fault: () => new Error('no answer within 5 s') }, (signal) => ask(signal));
 */
export async function withinTime<Result>({ timeoutMs, timers, fault, signal }: TimeLimit, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  signal?.throwIfAborted();
  const ended = new AbortController();
  const stop = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason as Error), { once: true });
  });
  const cancel = (): void => stop.abort(signal?.reason);
  signal?.addEventListener('abort', cancel, { once: true });
  void timers.sleep(timeoutMs, ended.signal, false).then(() => {
    if (!ended.signal.aborted) stop.abort(fault());
  });
  try {
    return await Promise.race([run(stop.signal), stopped]);
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    ended.abort(null);
    signal?.removeEventListener('abort', cancel);
  }
}
