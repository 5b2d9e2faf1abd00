import type { Connection } from '@vouch/platform/database/database';
import { delayErasures } from '../erasure/erasureLock.ts';
import type { ArmName } from './chooseArm.ts';
import type { ExperimentDefinition } from './experiment.schema.ts';
import type { Experiment } from './experimentStore.ts';

/** Maximum number of events that one transaction counts. */
const pageEvents = 20_000;
/** An event that arrived later than this after the present time was received by a server whose clock was wrong, and waits for nothing. */
const aheadMs = 600_000;

/** Interaction types of each metric: 0 is the outcome, the others are the guardrails. */
export function metricsOf({ outcome, guardrails }: ExperimentDefinition): { metric: number; types: string[] }[] {
  return [outcome, ...guardrails.map(({ types }) => types)].map((types, metric) => ({ metric, types }));
}

/** SQL: whether an interaction is not before the answer to the user, and in the window. @param windowMs SQL for the length of the window */
export function inWindow(happenedAt: string, answeredAt: string, windowMs: string): string {
  const answeredMs = `extract(epoch FROM ${answeredAt}) * 1000`;
  return `${happenedAt} >= floor(${answeredMs}) AND ${happenedAt} < ${answeredMs} + ${windowMs}`;
}

/** SQL: the outcomes among the events of a page, with the metrics in $5 (interaction types by metric). Each user counts once per metric. */
const outcomesOf = {
  split: `
    SELECT metrics.metric, users.user_id, users.arm, ready.sequence
    FROM ready
    JOIN experiment_users AS users ON users.run = $2 AND users.user_id = ready.source_id
    JOIN metrics ON metrics.types ? coalesce(ready.type, '')
    WHERE ${inWindow('ready.happened_at', 'users.exposed_at', '$6')}`,
  interleaved: `
    SELECT metrics.metric, answers.user_id, CASE WHEN ready.target_id = ANY(answers.items_a) THEN 'a' ELSE 'b' END AS arm, ready.sequence
    FROM ready
    JOIN experiment_answers AS answers ON answers.run = $2 AND answers.recommendation_id = ready.recommendation_id
    JOIN metrics ON metrics.types ? coalesce(ready.type, '')
    WHERE (ready.target_id = ANY(answers.items_a) OR ready.target_id = ANY(answers.items_b))
      AND ${inWindow('ready.happened_at', 'answers.answered_at', '$6')}`,
};

/**
 * Counts the outcomes of the next events, each event once.
 * @param before events that arrived later wait, because the users of the answers before them may not be stored yet
 * @param now present time
 * @returns whether more events may wait; false if another process counts this experiment
 */
export async function countPage(transaction: Connection, { run, definition, organizationId }: Experiment, before: Date, now: Date): Promise<boolean> {
  // Before the row of the experiment, for which transactions wait that delay erasures.
  await delayErasures(transaction);
  const { rows: locked } = await transaction.query<{ counted_through: string }>('SELECT counted_through FROM experiments WHERE run = $1 FOR UPDATE SKIP LOCKED', [run]);
  if (locked[0] === undefined) return false;
  const { rows } = await transaction.query<{ through: string | null; events: string }>(
    `WITH page AS (
       SELECT sequence, kind, source_id, target_id, type, happened_at, recommendation_id, received_at FROM events
       WHERE organization_id = $1 AND sequence > $3 ORDER BY sequence LIMIT ${pageEvents}),
     ready AS (
       SELECT * FROM page WHERE sequence < coalesce((SELECT min(sequence) FROM page WHERE received_at >= $4 AND received_at < $7), 9223372036854775807)),
     metrics AS (SELECT metric, types FROM jsonb_to_recordset($5::jsonb) AS given (metric smallint, types jsonb)),
     found AS (${outcomesOf[definition.mode]} AND ready.kind = 'interaction'),
     stored AS (
       INSERT INTO experiment_outcomes (run, metric, user_id, arm)
       SELECT DISTINCT ON (metric, user_id) $2::uuid, metric, user_id, arm FROM found ORDER BY metric, user_id, sequence
       ON CONFLICT DO NOTHING)
     SELECT max(sequence) AS through, count(*) AS events FROM ready`,
    [organizationId, run, locked[0].counted_through, before, JSON.stringify(metricsOf(definition)), definition.window_days * 86_400_000, new Date(now.getTime() + aheadMs)],
  );
  const more = Number(rows[0]?.events) === pageEvents;
  await transaction.query(
    'UPDATE experiments SET counted_through = coalesce($2, counted_through), counted_until = CASE WHEN $3 THEN counted_until ELSE $4 END WHERE run = $1',
    [run, rows[0]?.through ?? null, more, before],
  );
  return more;
}

/** Deletes shared answers whose window has ended. */
export async function removeSharedAnswers(connection: Connection, { run, definition }: Experiment, now: Date): Promise<void> {
  await connection.query(
    'DELETE FROM experiment_answers WHERE run = $1 AND answered_at < $2', [run, new Date(now.getTime() - definition.window_days * 86_400_000 - 86_400_000)]);
}

/** Users of an arm, with those who had an empty list and those who had each metric. */
export interface ArmCounts {
  users: number;
  empty: number;
  byMetric: ReadonlyMap<number, number>;
}

/** Counts users and outcomes by arm. In the mode interleaved, all users belong to both arms. */
export async function readCounts(connection: Connection, run: string): Promise<Record<ArmName, ArmCounts>> {
  const { rows: users } = await connection.query<{ arm: ArmName | null; users: string; empty: string }>(
    'SELECT arm, count(*) AS users, count(*) FILTER (WHERE empty) AS empty FROM experiment_users WHERE run = $1 GROUP BY arm', [run]);
  const { rows: outcomes } = await connection.query<{ arm: ArmName; metric: number; users: string }>(
    'SELECT arm, metric, count(*) AS users FROM experiment_outcomes WHERE run = $1 GROUP BY arm, metric', [run]);
  const countsOf = (arm: ArmName): ArmCounts => {
    const own = users.find((row) => row.arm === arm || row.arm === null);
    return {
      users: Number(own?.users ?? 0), empty: Number(own?.empty ?? 0),
      byMetric: new Map(outcomes.filter((row) => row.arm === arm).map((row) => [row.metric, Number(row.users)])),
    };
  };
  return { a: countsOf('a'), b: countsOf('b') };
}
