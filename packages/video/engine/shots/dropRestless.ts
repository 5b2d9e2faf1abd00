import type { Transition } from './shot.ts';

/** Films do not dissolve more often than this: three times within 3 s. */
const most = 3;
const span = 3;

/**
 * Drops gradual transitions that come in a crowd. Water, flames and flicker look like one short dissolve after the other
 * (generated waves gave five a second); real ones stand alone.
 *
 * @param graduals ascending by start
 */
export function dropRestless(graduals: readonly Transition[]): Transition[] {
  const crowded = graduals.map((gradual) => graduals.filter((other) => Math.abs(other.start - gradual.start) <= span).length > most);
  return graduals.filter((_, index) => !crowded[index]);
}
