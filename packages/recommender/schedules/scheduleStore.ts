import type { Connection } from '@vouch/platform/database/database';
import type { StoredParameters } from '../models/training/training.schema.ts';

/** When trainings of a model start by themselves. */
export interface Schedule {
  organizationId: string;
  modelId: string;
  cron: string | null;
  timezone: string;
  afterInteractions: number | null;
  training: { parameters: StoredParameters; callbackUrl: string | null };
  /** Null without cron. */
  nextRunAt: Date | null;
  /** Interactions since the schedule was made or last started a training. */
  newInteractions: number;
  lastRunAt: Date | null;
  createdAt: Date;
}

interface ScheduleRow {
  organization_id: string;
  model_id: string;
  cron: string | null;
  timezone: string;
  after_interactions: string | null;
  training: Schedule['training'];
  next_run_at: Date | null;
  new_interactions: string;
  last_run_at: Date | null;
  created_at: Date;
}

function toSchedule(row: ScheduleRow): Schedule {
  return {
    organizationId: row.organization_id,
    modelId: row.model_id,
    cron: row.cron,
    timezone: row.timezone,
    afterInteractions: row.after_interactions === null ? null : Number(row.after_interactions),
    training: row.training,
    nextRunAt: row.next_run_at,
    newInteractions: Number(row.new_interactions),
    lastRunAt: row.last_run_at,
    createdAt: row.created_at,
  };
}

/** Makes or replaces the schedule of a model. A replaced schedule keeps its count of interactions and its times. */
export async function putSchedule(
  connection: Connection, schedule: Omit<Schedule, 'newInteractions' | 'lastRunAt'>,
): Promise<Schedule> {
  const { rows } = await connection.query<ScheduleRow>(
    `INSERT INTO schedules (organization_id, model_id, cron, timezone, after_interactions, training, next_run_at, created_at, counted_through)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, (SELECT coalesce(max(sequence), 0) FROM events))
     ON CONFLICT (organization_id, model_id) DO UPDATE SET
       cron = excluded.cron, timezone = excluded.timezone, after_interactions = excluded.after_interactions, training = excluded.training,
       next_run_at = excluded.next_run_at
     RETURNING *`,
    [
      schedule.organizationId, schedule.modelId, schedule.cron, schedule.timezone, schedule.afterInteractions, JSON.stringify(schedule.training),
      schedule.nextRunAt, schedule.createdAt,
    ],
  );
  return toSchedule(rows[0] as ScheduleRow);
}

/** Lists the schedules of an organization by model id; of all organizations if none is given. */
export async function listSchedules(connection: Connection, organizationId: string | null): Promise<Schedule[]> {
  const { rows } = await connection.query<ScheduleRow>(
    'SELECT * FROM schedules WHERE $1::text IS NULL OR organization_id = $1 ORDER BY organization_id, model_id', [organizationId]);
  return rows.map(toSchedule);
}

export async function findSchedule(connection: Connection, organizationId: string, modelId: string): Promise<Schedule | null> {
  const { rows } = await connection.query<ScheduleRow>('SELECT * FROM schedules WHERE organization_id = $1 AND model_id = $2', [organizationId, modelId]);
  return rows[0] === undefined ? null : toSchedule(rows[0]);
}

/** Deletes the schedule of a model. @returns the deleted schedule, null if there was none */
export async function deleteSchedule(connection: Connection, organizationId: string, modelId: string): Promise<Schedule | null> {
  const { rows } = await connection.query<ScheduleRow>('DELETE FROM schedules WHERE organization_id = $1 AND model_id = $2 RETURNING *', [organizationId, modelId]);
  return rows[0] === undefined ? null : toSchedule(rows[0]);
}

/** SQL: whether a schedule trains on data with the tags. */
function concerns(schedule: string, tags: string): string {
  const wanted = `${schedule}.training->'parameters'->'data_tags'`;
  return `(${wanted} = '[]' OR ${tags} && ARRAY(SELECT jsonb_array_elements_text(${wanted})))`;
}

/**
 * Adds uploaded interactions to the schedules that wait for new interactions. Runs in the transaction of the upload, because numbers of batches can become
 * visible out of order, so that a later count from the last number on would miss some.
 */
export async function countUploaded(transaction: Connection, organizationId: string, tags: readonly string[], interactions: number): Promise<void> {
  await transaction.query(
    `UPDATE schedules SET new_interactions = new_interactions + $3
     WHERE (organization_id, model_id) IN (
       SELECT organization_id, model_id FROM schedules
       WHERE organization_id = $1 AND after_interactions IS NOT NULL AND ${concerns('schedules', '$2::text[]')}
       ORDER BY model_id FOR UPDATE)`,
    [organizationId, tags, interactions],
  );
}

/**
 * Locks a schedule until the transaction ends, and adds the interactions since the last count. Each count reads only new events, so it finishes before
 * events that are in batches are removed.
 * @returns the schedule; null if it was deleted, or another process holds it
 */
export async function lockSchedule(transaction: Connection, organizationId: string, modelId: string): Promise<Schedule | null> {
  const { rows } = await transaction.query<ScheduleRow>(
    `WITH locked AS (
       SELECT * FROM schedules WHERE organization_id = $1 AND model_id = $2 FOR UPDATE SKIP LOCKED),
     newest AS (SELECT coalesce(max(sequence), 0) AS sequence FROM events WHERE organization_id = $1),
     counted AS (
       SELECT count(*) AS interactions FROM events, locked, newest
       WHERE locked.after_interactions IS NOT NULL AND events.organization_id = $1 AND events.kind = 'interaction'
         AND events.sequence > locked.counted_through AND events.sequence <= newest.sequence
         AND ${concerns('locked', 'events.tags')})
     UPDATE schedules SET new_interactions = schedules.new_interactions + counted.interactions,
       counted_through = greatest(schedules.counted_through, newest.sequence)
     FROM locked, counted, newest
     WHERE schedules.organization_id = locked.organization_id AND schedules.model_id = locked.model_id
     RETURNING schedules.*`,
    [organizationId, modelId],
  );
  return rows[0] === undefined ? null : toSchedule(rows[0]);
}

/** Records that a locked schedule started a training. */
export async function recordRun(transaction: Connection, { organizationId, modelId }: Schedule, at: Date, nextRunAt: Date | null): Promise<void> {
  await transaction.query(
    'UPDATE schedules SET last_run_at = $3, next_run_at = $4, new_interactions = 0 WHERE organization_id = $1 AND model_id = $2',
    [organizationId, modelId, at, nextRunAt],
  );
}
