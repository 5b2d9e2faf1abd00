/** Returns an expression that matches what any of the given ones matches, in upper or lower case. */
export function anyOf(...expressions: readonly RegExp[]): RegExp {
  return new RegExp(expressions.map(({ source }) => source).join('|'), 'i');
}

/** Points without a change: between two changes, each death leaves the same state. */
export const reads = /^\d+ (?:before|after) (?:SELECT\b|BEGIN\b|SET\b|COMMIT of SELECT\b)/;

/**
 * Statements beside any operation of a recommender: checks of schedules, due folds and changes of rules, and notes about the use of keys; looks for jobs and
 * deliveries, except for the first two, which find the operation's job; heartbeats.
 */
export const recommenderPolls = anyOf(
  /\bkeys (?:SET|WHERE)\b/, /\bWITH locked AS/, /\bWITH RECURSIVE organizations\b/, /\bDELETE FROM events\b/, /\bFROM rule_changes\b/,
  /^(?:[3-9]|\d\d+) .*\bUPDATE jobs SET status = 'running'/, /\bUPDATE webhook_deliveries SET fence\b/, /\bUPDATE jobs SET stage = coalesce\b/,
);
