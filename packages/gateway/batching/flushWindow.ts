/** Summary of the queue. Times in ms of the same clock as `now`. */
export interface QueueSummary {
  operations: number;
  /** Expected gas of these operations. */
  gas: number;
  calldataBytes: number;
  /** Time of verification of the oldest operation; null if the queue is empty. */
  oldestMs: number | null;
  /** The nearest deadline; null if the queue is empty. */
  deadlineMs: number | null;
}

/** Limits of a batch: time in ms that the oldest operation waits, number of operations, gas. */
export interface WindowLimits {
  windowMs: number;
  operations: number;
  gas: number;
}

/** Maximum calldata in bytes: most nodes reject transactions above 128 KB; the difference leaves room for the wrapping call. */
export const maxCalldataBytes = 110_000;
/** An operation closer to its deadline than this is not delayed for others, because a transaction can need several blocks. */
export const deadlineNearMs = 90_000;

export type FlushDecision =
  | { flush: true; because: 'full' | 'age' | 'deadline' }
  /** `waitMs`: time until the window ends; null if the queue is empty. */
  | { flush: false; waitMs: number | null };

/** Decides whether the queued operations become a batch now; the first limit that is reached decides. */
export function decideFlush(queue: QueueSummary, limits: WindowLimits, now: number): FlushDecision {
  if (queue.operations === 0 || queue.oldestMs === null) return { flush: false, waitMs: null };
  const full = queue.operations >= limits.operations || queue.gas >= limits.gas || queue.calldataBytes >= maxCalldataBytes;
  if (full) return { flush: true, because: 'full' };
  if (queue.deadlineMs !== null && queue.deadlineMs - now <= deadlineNearMs) return { flush: true, because: 'deadline' };
  const ageLeft = queue.oldestMs + limits.windowMs - now;
  // A time more than a window ahead comes from a server whose clock is ahead, or from before this clock was set back: the age is unknown.
  if (ageLeft <= 0 || ageLeft > 2 * limits.windowMs) return { flush: true, because: 'age' };
  return { flush: false, waitMs: Math.min(ageLeft, limits.windowMs) };
}
