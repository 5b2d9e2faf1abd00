/** Returns an expression that matches what any of the given ones matches, in upper or lower case. */
export function anyOf(...expressions: readonly RegExp[]): RegExp {
  return new RegExp(expressions.map(({ source }) => source).join('|'), 'i');
}

/** Points without a change: between two changes, each death leaves the same state. The death of a process, unlike a loss of power, loses no write that was not synced. */
const quiet = /^\d+ (?:before|after) (?:SELECT|BEGIN|SET|COMMIT of SELECT|LISTEN|UNLISTEN|f?sync)\b/i;

/**
 * Statements beside any operation of a recommender: checks of schedules, due folds and changes of rules, notes about the use of keys, looks for deliveries,
 * heartbeats.
 */
export const recommenderPolls = anyOf(
  /\bkeys (?:SET|WHERE)\b/, /\bWITH locked AS/, /\bWITH RECURSIVE organizations\b/, /\bDELETE FROM events\b/, /\bFROM rule_changes\b/,
  /\bUPDATE webhook_deliveries SET fence\b/, /\bUPDATE jobs SET stage = coalesce\b/,
);

/** Looks for jobs, of each kind once per second; and those after the first two, which find the job of an operation. */
export const jobPolls = /\bUPDATE jobs SET status = 'running'/;
export const laterJobPolls = /^(?:[3-9]|\d\d+) .*\bUPDATE jobs SET status = 'running'/;

/** Returns the points at which a program dies: those with a change, without the ones that `beside` matches. */
export function pointsToVisit(points: readonly string[], beside: RegExp | undefined): string[] {
  return points.filter((point) => !quiet.test(point) && beside?.test(point) !== true);
}
