import { systemInterfaces } from '../process/systemInterfaces.ts';
import { inHouseOf, type ConformanceContext, type ReceivedCall } from './context.ts';

const timeoutMs = 120_000;
const pollMs = 50;

/** Waits up to 120 s for a call at a path of the receiver. @throws Error if no call arrives, RowSkipped if there is no receiver */
export async function receivedAt(context: ConformanceContext, path: string): Promise<ReceivedCall> {
  const { receiver } = inHouseOf(context, 'a receiver of callbacks that the server can reach');
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += pollMs) {
    const call = receiver.received.find((each) => each.path === path);
    if (call !== undefined) return call;
    await systemInterfaces.timers.sleep(pollMs);
  }
  throw new Error(`no callback arrived at ${path} within ${timeoutMs / 1000} s`);
}
