import type { Connection } from '@vouch/platform/database/database';
import type { StoredEvent } from './event.ts';

/** An event that is in no batch yet. */
export interface UnfoldedEvent extends Pick<StoredEvent, 'sequence' | 'kind' | 'tags' | 'targetId' | 'sourceId' | 'type' | 'happenedAt' | 'name' | 'metadata' | 'mediaUrl'> {
  afterBatch: number;
}

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

/** Returns the events of an organization after a number, in ascending order. */
export async function listUnfolded(connection: Connection, organizationId: string, after: number, limit: number): Promise<UnfoldedEvent[]> {
  const { rows } = await connection.query<{
    sequence: string; kind: StoredEvent['kind']; tags: string[]; after_batch: string; target_id: string; source_id: string | null; type: string | null;
    happened_at: string | null; name: string | null; metadata: string | null; media_url: string | null;
  }>(
    `SELECT sequence, kind, tags, after_batch, target_id, source_id, type, happened_at, name, metadata, media_url
     FROM events WHERE organization_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
    [organizationId, after, limit],
  );
  return rows.map((row) => ({
    sequence: Number(row.sequence), kind: row.kind, tags: row.tags, afterBatch: Number(row.after_batch), targetId: row.target_id, sourceId: row.source_id,
    type: row.type, happenedAt: row.happened_at === null ? null : Number(row.happened_at), name: row.name, metadata: row.metadata, mediaUrl: row.media_url,
  }));
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
