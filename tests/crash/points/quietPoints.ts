import type { Death } from './pointWorld.ts';

/** Returns an expression that matches what any of the given ones matches, in upper or lower case. */
export function anyOf(...expressions: readonly RegExp[]): RegExp {
  return new RegExp(expressions.map(({ source }) => source).join('|'), 'i');
}

/** Points without a change: between two changes, each death leaves the same state. */
const quiet = /^\d+ (?:before|after) (?:SELECT|BEGIN|SET|COMMIT of SELECT|LISTEN|UNLISTEN)\b/i;
/** A sync changes what a loss of power leaves, and not what the death of a process leaves. */
const sync = /^\d+ (?:before|after) f?sync\b/i;

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

/** In a child, the third and later of the reports of progress, and of the parts in which one work reads and writes one file, pipe or result. */
export const laterRepetitions = /^(?:[3-9]|\d\d+) (?:before|after) (?:sending progress|(?:read|write)(?:Sync)? |libav interleavedWriteFrameSync|DuckDB (?:INSERT|fetchChunk))/;

/** Returns the points at which a program dies: those with a change, without the ones that `beside` matches. */
export function pointsToVisit(points: readonly string[], beside: RegExp | undefined, death: Death = 'kill'): string[] {
  return points.filter((point) => !quiet.test(point) && (death !== 'kill' || !sync.test(point)) && beside?.test(point) !== true);
}
