/** What the queue holds, as a window sees it. Times in milliseconds of the same clock as `now`. */
export interface QueueSummary {
  operations: number;
  /** Gas that these operations are expected to take. */
  gas: number;
  calldataBytes: number;
  /** When the oldest of them was verified; null where there is none. */
  oldestMs: number | null;
  /** The nearest deadline; null where there is none. */
  deadlineMs: number | null;
}

export interface WindowLimits {
  windowMs: number;
  operations: number;
  gas: number;
}

/** A transaction of 128 KB is refused by the pools of most nodes; 110 KB leaves room for what wraps the operations. */
export const maxCalldataBytes = 110_000;
/** A transaction may need a few blocks; closer to its deadline an operation no longer waits for others. */
export const deadlineNearMs = 90_000;

export type FlushDecision =
  | { flush: true; because: 'full' | 'age' | 'deadline' }
  /** `waitMs` is how long nothing changes by itself; null where the queue is empty. */
  | { flush: false; waitMs: number | null };

/** Whether the operations that wait become a batch now: whichever limit is reached first. */
export function decideFlush(queue: QueueSummary, limits: WindowLimits, now: number): FlushDecision {
  if (queue.operations === 0 || queue.oldestMs === null) return { flush: false, waitMs: null };
  const full = queue.operations >= limits.operations || queue.gas >= limits.gas || queue.calldataBytes >= maxCalldataBytes;
  if (full) return { flush: true, because: 'full' };
  if (queue.deadlineMs !== null && queue.deadlineMs - now <= deadlineNearMs) return { flush: true, because: 'deadline' };
  const ageLeft = queue.oldestMs + limits.windowMs - now;
  if (ageLeft <= 0) return { flush: true, because: 'age' };
  // A clock that was set back must not hold the queue for longer than a window.
  return { flush: false, waitMs: Math.min(ageLeft, limits.windowMs) };
}
