import type { Connection } from '../database/database.ts';

/**
 * Counts, for each queued job among these ids, the queued jobs of its kind and organization that begin before it: those that were created earlier.
 * One pass over the queue of the organization. Left out are jobs that wait for a retry, whose turn comes at a time of their own, and jobs that are being
 * cancelled, both as members of the answer and in the counts. Jobs of other organizations can begin in between.
 * @returns counts keyed by id; jobs that are not in the queue are missing
 */
export async function countAhead(connection: Connection, organizationId: string, kind: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const { rows } = await connection.query<{ id: string; ahead: number }>(
    `SELECT id, ahead FROM (
       SELECT id, (row_number() OVER (ORDER BY number) - 1)::integer AS ahead FROM jobs
       WHERE kind = $1 AND status = 'queued' AND organization_id = $2 AND run_after <= now() AND NOT cancel_requested) AS queue
     WHERE id = ANY($3)`, [kind, organizationId, ids]);
  return new Map(rows.map(({ id, ahead }) => [id, ahead]));
}
