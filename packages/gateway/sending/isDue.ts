/**
 * Returns whether a wait has ended: its time has come, or the clock was set back since the wait began. So a clock that is set back ends a wait early
 * instead of prolonging it by the size of the step.
 * @param atMs clock time in ms at which the wait ends; -Infinity if it has ended
 * @param waitMs length of the wait in ms
 */
export function isDue(atMs: number, waitMs: number, nowMs: number): boolean {
  return nowMs >= atMs || atMs - nowMs > waitMs;
}
