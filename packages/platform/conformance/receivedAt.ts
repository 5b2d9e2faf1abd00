import { realDoors } from '../process/doors.ts';
import type { ConformanceContext, ReceivedCall } from '../product/product.ts';

const timeoutMs = 120_000;
const pollMs = 50;

/** Waits for a call at a path of the receiver. @throws Error where none comes */
export async function receivedAt(context: ConformanceContext, path: string): Promise<ReceivedCall> {
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += pollMs) {
    const call = context.receiver.received.find((each) => each.path === path);
    if (call !== undefined) return call;
    await realDoors.timers.sleep(pollMs);
  }
  throw new Error(`no call came to ${path} within ${timeoutMs / 1000} s`);
}
