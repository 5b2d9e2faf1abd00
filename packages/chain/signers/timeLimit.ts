import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { withinTime } from '@vouch/platform/process/withinTime';
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
 * Calls `run` within the time limit of a service.
 * @throws SignerFault `timeout`; the reason of `signal`; the error of `run`
 */
export function withinLimit<Result>({ timeoutMs, timers, name }: TimeLimit, signal: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const fault = (): Error => new SignerFault('timeout', `${name} did not answer within ${timeoutMs / 1_000} s.`);
  return withinTime({ timeoutMs, timers, fault, signal }, run);
}
