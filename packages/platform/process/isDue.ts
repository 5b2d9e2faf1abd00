/**
 * Returns whether a wait by the machine's clock has ended: its time has come, or the clock was set back since the wait began. So a clock that is set back
 * ends a wait early instead of prolonging it by the size of the step. Other waits use `elapsedMs`, which no step moves.
 * @param atMs clock time in ms at which the wait ends; -Infinity if it has ended
 * @param maxWaitMs length of the wait in ms, or the most that it can be
 */
export function isDue(atMs: number, maxWaitMs: number, nowMs: number): boolean {
  return nowMs >= atMs || atMs - nowMs > maxWaitMs;
}
