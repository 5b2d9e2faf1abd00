import type { Connection } from '../database/database.ts';
import { wakeChannel } from './jobRow.ts';
import type { Progress } from './progress.ts';
import type { SetbackCounts } from './setback.ts';

type Reached = Pick<Progress, 'stage' | 'total'>;

/** Writes one attempt's state to the row of its job. A write takes effect only while the attempt holds the job's fence. */
export class AttemptRow {
  readonly #database: Connection;
  readonly #id: string;
  readonly #fence: string;

  constructor(database: Connection, id: string, fence: string) {
    this.#database = database;
    this.#id = id;
    this.#fence = fence;
  }

  /**
   * Extends the lease and writes the job's progress.
   * @returns `cancel` if the job's cancellation was requested, `lost` if the attempt no longer holds the job
   */
  async extendLease(leaseMs: number, { stage, total }: Reached, waitsFor: 'processor' | null): Promise<'extended' | 'cancel' | 'lost'> {
    const { rows } = await this.#database.query<{ cancel_requested: boolean }>(
      `UPDATE jobs SET stage = coalesce($3, stage), progress = greatest(progress, $4),
         progressed_at = CASE WHEN $4 > progress THEN now() ELSE progressed_at END, waits_for = $6,
         lease_until = now() + make_interval(secs => $5)
       WHERE id = $1 AND fence = $2 RETURNING cancel_requested`,
      [this.#id, this.#fence, stage, total, leaseMs / 1_000, waitsFor]);
    if (rows[0] === undefined) return 'lost';
    return rows[0].cancel_requested ? 'cancel' : 'extended';
  }

  /** Writes the job's progress. @returns false if the attempt no longer holds the job */
  async saveProgress({ stage, total }: Reached): Promise<boolean> {
    const { rowCount } = await this.#database.query(
      'UPDATE jobs SET stage = $3, progress = greatest(progress, $4), progressed_at = now() WHERE id = $1 AND fence = $2',
      [this.#id, this.#fence, stage, total]);
    return rowCount !== 0;
  }

  /** Stores the result of a finished stage. @param result JSON text @returns false if the attempt no longer holds the job */
  async saveStage(name: string, result: string, { total }: Reached): Promise<boolean> {
    const { rowCount } = await this.#database.query(
      `UPDATE jobs SET checkpoints = checkpoints || jsonb_build_object($3::text, $4::jsonb), progress = greatest(progress, $5),
         crashes = 0, interruptions = 0, progressed_at = now()
       WHERE id = $1 AND fence = $2`, [this.#id, this.#fence, name, result, total]);
    return rowCount !== 0;
  }

  /**
   * Puts the job back into the queue and wakes the workers.
   * @param afterMs time in ms before the next attempt may begin
   * @param refunded true if this attempt does not count as one
   */
  async requeue(afterMs: number, { failures, interruptions }: SetbackCounts, { refunded }: { refunded: boolean }): Promise<void> {
    await this.#database.query(
      `WITH requeued AS (
         UPDATE jobs SET status = 'queued', fence = NULL, lease_until = NULL, waits_for = NULL, attempt = attempt - $4,
           failures = $6, interruptions = $7, run_after = now() + make_interval(secs => $3)
         WHERE id = $1 AND fence = $2 RETURNING kind)
       SELECT pg_notify($5, kind) FROM requeued`,
      [this.#id, this.#fence, afterMs / 1_000, refunded ? 1 : 0, wakeChannel, failures, interruptions]);
  }
}
