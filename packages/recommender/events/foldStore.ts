import type { Connection } from '@vouch/platform/database/database';

/** Returns the number up to which the events of an organization are in batches; 0 if none are. */
export async function findFold(connection: Connection, organizationId: string): Promise<number> {
  const { rows } = await connection.query<{ through: string }>('SELECT through FROM event_folds WHERE organization_id = $1', [organizationId]);
  return Number(rows[0]?.through ?? 0);
}

/** Advances the mark of an organization. @returns false if the mark is no longer at `from`, because another process advanced it */
export async function advanceFold(transaction: Connection, organizationId: string, from: number, through: number): Promise<boolean> {
  const { rowCount } = await transaction.query(
    `INSERT INTO event_folds (organization_id, through) VALUES ($1, $3)
     ON CONFLICT (organization_id) DO UPDATE SET through = excluded.through WHERE event_folds.through = $2`,
    [organizationId, from, through],
  );
  return rowCount === 1;
}

/** Returns the organizations whose oldest event without a batch arrived before a time, or that have more than `count` such events. */
export async function listDue(connection: Connection, before: Date, count: number): Promise<string[]> {
  const { rows } = await connection.query<{ id: string }>(
    // Reads one index entry per organization, however many events each has.
    `WITH RECURSIVE organizations AS (
       SELECT min(organization_id) AS id FROM events
       UNION ALL
       SELECT (SELECT min(organization_id) FROM events WHERE organization_id > organizations.id) FROM organizations WHERE organizations.id IS NOT NULL)
     SELECT organizations.id FROM organizations LEFT JOIN event_folds ON event_folds.organization_id = organizations.id
     WHERE organizations.id IS NOT NULL AND (
       (SELECT received_at FROM events WHERE organization_id = organizations.id AND sequence > coalesce(through, 0) ORDER BY sequence LIMIT 1) < $1
       OR EXISTS (SELECT FROM events WHERE organization_id = organizations.id AND sequence > coalesce(through, 0) ORDER BY sequence OFFSET $2 LIMIT 1))`,
    [before, count],
  );
  return rows.map(({ id }) => id);
}
