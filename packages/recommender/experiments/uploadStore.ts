import type { Connection } from '@vouch/platform/database/database';
import { isDeleted } from '../erasure/erasureLock.ts';
import type { FileInteraction } from '../uploads/readInteractions.messages.ts';
import type { Experiment } from './experimentStore.ts';
import { inWindow, metricsOf } from './outcomeStore.ts';

/** Maximum number of batches that one pass lists. */
const maxBatches = 100;
/** A batch is from before the experiment if it is older by more than the clocks of servers may differ. */
const clockMs = 3_600_000;

/** An uploaded file that is not counted yet. */
export interface UncountedBatch {
  batchId: string;
  blob: string;
}

/**
 * Lists uploaded interaction batches since the start of an experiment that are not counted yet, the oldest first. Batches of events are not listed, because
 * their events count when they arrive.
 * @param before batches that were uploaded later wait, because the users of the answers before them may not be stored yet
 */
export async function listUncounted(connection: Connection, { organizationId, run, startedAt }: Experiment, before: Date): Promise<UncountedBatch[]> {
  const { rows } = await connection.query<{ batch_id: string; blob: string }>(
    `SELECT batch_id, blob FROM batches
     WHERE organization_id = $1 AND kind = 'interaction' AND after_batch IS NULL AND created_at >= $3 AND created_at < $4
       AND NOT EXISTS (SELECT FROM experiment_batches WHERE run = $2 AND experiment_batches.batch_id = batches.batch_id)
     ORDER BY sequence LIMIT ${maxBatches}`,
    [organizationId, run, new Date(startedAt.getTime() - clockMs), before],
  );
  return rows.map(({ batch_id: batchId, blob }) => ({ batchId, blob }));
}

/** Locks a batch of an experiment until the transaction ends. @returns false if another process counts it, or it is counted or the experiment over */
export async function lockBatch(transaction: Connection, run: string, batchId: string): Promise<boolean> {
  // The file is read while the transaction is open.
  await transaction.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  const { rows } = await transaction.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked', [`vouch:recommender-experiments:${run}:${batchId}`]);
  if (rows[0]?.locked !== true) return false;
  const { rowCount } = await transaction.query(
    'SELECT 1 FROM experiments WHERE run = $1 AND NOT EXISTS (SELECT FROM experiment_batches WHERE run = $1 AND batch_id = $2)', [run, batchId]);
  return rowCount === 1;
}

/** Counts the outcomes among uploaded interactions: each user once per metric, after the first answer and within the window. */
export async function countUploadedOutcomes(transaction: Connection, { run, definition }: Experiment, interactions: readonly FileInteraction[]): Promise<void> {
  const rows = interactions.map(([source, , type, time]) => ({ source_id: source, type: type ?? '', happened_at: time }));
  await transaction.query(
    `INSERT INTO experiment_outcomes (run, metric, user_id, arm)
     SELECT DISTINCT $1::uuid, metrics.metric, users.user_id, users.arm
     FROM json_to_recordset($2::json) AS uploaded (source_id text, type text, happened_at bigint)
     JOIN experiment_users AS users ON users.run = $1 AND users.user_id = uploaded.source_id
     JOIN jsonb_to_recordset($3::jsonb) AS metrics (metric smallint, types jsonb) ON metrics.types ? uploaded.type
     WHERE ${inWindow('uploaded.happened_at', 'users.exposed_at', '$4')}
     ON CONFLICT DO NOTHING`,
    [run, JSON.stringify(rows), JSON.stringify(metricsOf(definition)), definition.window_days * 86_400_000],
  );
}

/**
 * Records that a batch is counted, and removes the outcomes of users who were deleted meanwhile. The outcomes must be committed, so that each deletion is over and
 * seen here, or follows and sees the outcomes.
 */
export async function markCounted(transaction: Connection, { run, organizationId }: Experiment, batchId: string): Promise<void> {
  await transaction.query(`DELETE FROM experiment_outcomes WHERE run = $1 AND ${isDeleted('$2', 'experiment_outcomes.user_id')}`, [run, organizationId]);
  await transaction.query('INSERT INTO experiment_batches (run, batch_id) SELECT run, $2 FROM experiments WHERE run = $1 ON CONFLICT DO NOTHING', [run, batchId]);
}
