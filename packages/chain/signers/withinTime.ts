import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { SignerFault } from './signerFault.ts';

/** Time limit of one request to a signing service, in milliseconds. One signature covers a whole batch, so seconds are acceptable. */
export const signerTimeoutMs = 10_000;

export interface TimeLimit {
  timeoutMs: number;
  timers: Timers;
  /** Name of the service in the timeout message: `AWS KMS key x`. */
  name: string;
}

/**
 * Calls `run` with a signal that aborts at the time limit. Returns by then even if `run` ignores the signal.
 * @throws SignerFault `timeout`; the reason of `signal`; the error of `run`
 */
export async function withinTime<Result>({ timeoutMs, timers, name }: TimeLimit, signal: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  signal?.throwIfAborted();
  const ended = new AbortController();
  const stop = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason as Error), { once: true });
  });
  const cancel = (): void => stop.abort(signal?.reason);
  signal?.addEventListener('abort', cancel, { once: true });
  void timers.sleep(timeoutMs, ended.signal, false).then(() => {
    if (!ended.signal.aborted) stop.abort(new SignerFault('timeout', `${name} did not answer within ${timeoutMs / 1_000} s.`));
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
