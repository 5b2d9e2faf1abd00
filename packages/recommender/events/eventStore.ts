import type { Connection } from '@vouch/platform/database/database';
import type { EntityChange, NewEvent, StoredEvent } from './event.ts';

/** Notification channel for new events; the payload is empty. */
export const eventsChannel = 'recommender_events';

/** What was stored of some events. */
export interface Stored {
  /** Ids by organization; an id that was stored before is missing. */
  ids: Map<string, Set<string>>;
  /** By organization and id, what was stored first for the ids of the events; empty if all events were stored. */
  first: ReadonlyMap<string, ReadonlyMap<string, StoredContent>>;
  /** The new, changed and deleted entities with the numbers of their events, in their order. */
  changes: readonly EntityChange[];
}

/** What an interaction says. */
type StoredContent = Pick<NewEvent, 'source_id' | 'target_id' | 'type'>;

/** Stores events in their order. Until the transaction ends, no other process can store events; the transaction must therefore end soon. */
export async function insertEvents(transaction: Connection, events: readonly NewEvent[], at: Date): Promise<Stored> {
  // PostgreSQL releases the lock after the commit became visible. Numbers therefore become visible in ascending order.
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', ['vouch:recommender-events']);
  const { rows } = await transaction.query<{ sequence: string; organization_id: string; event_id: string | null }>(
    `WITH stored AS (
       INSERT INTO events (organization_id, kind, event_id, received_at, tags, after_batch, target_id, source_id, type, happened_at, name, metadata, media_url, available, recommendation_id)
       SELECT organization_id, kind, event_id, $2, tags, (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM batches_sequence_seq),
              target_id, source_id, type, happened_at, name, metadata, media_url, available, recommendation_id
       FROM ROWS FROM (json_to_recordset($1::json) AS (
         organization_id text, kind text, event_id text, tags text[], target_id text, source_id text, type text, happened_at bigint,
         name text, metadata text, media_url text, available boolean, recommendation_id text)) WITH ORDINALITY
         AS given (organization_id, kind, event_id, tags, target_id, source_id, type, happened_at, name, metadata, media_url, available, recommendation_id, place)
       ORDER BY place
       ON CONFLICT (organization_id, event_id) WHERE event_id IS NOT NULL DO NOTHING
       RETURNING sequence, organization_id, kind, event_id)
     SELECT sequence, organization_id, event_id FROM stored WHERE event_id IS NOT NULL OR kind <> 'interaction' ORDER BY sequence`,
    [JSON.stringify(events), at],
  );
  await storeVisibility(transaction, events);
  await transaction.query(`NOTIFY ${eventsChannel}`);
  const ids = new Map<string, Set<string>>();
  for (const { organization_id: organization, event_id: id } of rows) if (id !== null) ids.set(organization, (ids.get(organization) ?? new Set()).add(id));
  // Events of entities have no ids, so all of them were stored.
  const numbers = rows.filter(({ event_id: id }) => id === null).map(({ sequence }) => Number(sequence));
  const changes = events.filter(({ kind }) => kind !== 'interaction').map((event, at) => ({ event, sequence: numbers[at] ?? 0 }));
  const given = events.filter(({ event_id: id }) => id !== null);
  const stored = rows.length - numbers.length;
  return { ids, changes, first: given.length === stored ? new Map() : await listFirst(transaction, given) };
}

/** Returns what is stored for the ids of events. */
async function listFirst(transaction: Connection, events: readonly NewEvent[]): Promise<Stored['first']> {
  const { rows } = await transaction.query<StoredContent & { organization_id: string; event_id: string }>(
    `SELECT organization_id, event_id, source_id, target_id, type FROM events
     JOIN unnest($1::text[], $2::text[]) AS given (organization_id, event_id) USING (organization_id, event_id)
     WHERE events.event_id IS NOT NULL`,
    [events.map((event) => event.organization_id), events.map((event) => event.event_id)],
  );
  const first = new Map<string, Map<string, StoredContent>>();
  for (const { organization_id: organization, event_id: id, ...content } of rows) first.set(organization, (first.get(organization) ?? new Map<string, StoredContent>()).set(id, content));
  return first;
}

/** Records which of the entities lists may contain; the last event of an entity decides. */
async function storeVisibility(transaction: Connection, events: readonly NewEvent[]): Promise<void> {
  const last = new Map<string, NewEvent>();
  for (const event of events) if (event.kind !== 'interaction') last.set(JSON.stringify([event.organization_id, event.target_id]), event);
  if (last.size === 0) return;
  const changed = [...last.values()];
  const hidden = changed.filter(({ available }) => available === false);
  const shown = changed.filter(({ available }) => available !== false);
  if (hidden.length > 0) {
    await transaction.query(
      `INSERT INTO hidden_entities (organization_id, entity_id, reason) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
       ON CONFLICT (organization_id, entity_id) DO UPDATE SET reason = excluded.reason`,
      [hidden.map((event) => event.organization_id), hidden.map((event) => event.target_id), hidden.map(({ kind }) => (kind === 'deletion' ? 'deleted' : 'unavailable'))],
    );
  }
  if (shown.length > 0) {
    await transaction.query(
      `DELETE FROM hidden_entities USING unnest($1::text[], $2::text[]) AS shown (organization_id, entity_id)
       WHERE hidden_entities.organization_id = shown.organization_id AND hidden_entities.entity_id = shown.entity_id`,
      [shown.map((event) => event.organization_id), shown.map((event) => event.target_id)],
    );
  }
}

interface EventRow {
  sequence: string;
  after_batch: string;
  organization_id: string;
  kind: StoredEvent['kind'];
  tags: string[];
  target_id: string;
  source_id: string | null;
  type: string | null;
  happened_at: string | null;
  name: string | null;
  metadata: string | null;
  media_url: string | null;
  available: boolean | null;
  received_at: Date;
}

const eventColumns = 'sequence, after_batch, organization_id, kind, tags, target_id, source_id, type, happened_at, name, metadata, media_url, available, received_at';

function toEvent(row: EventRow): StoredEvent {
  return {
    sequence: Number(row.sequence), afterBatch: Number(row.after_batch), organizationId: row.organization_id, kind: row.kind, tags: row.tags, targetId: row.target_id,
    sourceId: row.source_id, type: row.type, happenedAt: row.happened_at === null ? null : Number(row.happened_at), name: row.name,
    metadata: row.metadata, mediaUrl: row.media_url, available: row.available, receivedAt: row.received_at.getTime(),
  };
}

/** Returns up to `limit` events of all organizations after a number, in ascending order. */
export async function listEvents(connection: Connection, after: number, limit: number): Promise<StoredEvent[]> {
  const { rows } = await connection.query<EventRow>(`SELECT ${eventColumns} FROM events WHERE sequence > $1 ORDER BY sequence LIMIT $2`, [after, limit]);
  return rows.map(toEvent);
}

/** Returns up to `limit` events of an organization after a number, in ascending order. */
export async function listEventsOf(connection: Connection, organizationId: string, after: number, limit: number): Promise<StoredEvent[]> {
  const { rows } = await connection.query<EventRow>(
    `SELECT ${eventColumns} FROM events WHERE organization_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`, [organizationId, after, limit]);
  return rows.map(toEvent);
}

/** Number of the newest event of an organization; 0 if there is none. */
export async function findNewestEvent(connection: Connection, organizationId: string): Promise<number> {
  const { rows } = await connection.query<{ sequence: string }>('SELECT sequence FROM events WHERE organization_id = $1 ORDER BY sequence DESC LIMIT 1', [organizationId]);
  return Number(rows[0]?.sequence ?? 0);
}

/** Whether an event with all of the tags is in no batch yet. */
export async function hasUnfolded(connection: Connection, organizationId: string, tags: readonly string[]): Promise<boolean> {
  const { rows } = await connection.query<{ waits: boolean }>(
    `SELECT EXISTS (SELECT FROM events WHERE organization_id = $1 AND tags @> $2::text[] AND kind <> 'deletion'
       AND sequence > coalesce((SELECT through FROM event_folds WHERE organization_id = $1), 0)) AS waits`,
    [organizationId, tags],
  );
  return rows[0]?.waits === true;
}

/** Number of the event that `count` events follow; 0 if there are fewer. */
export async function findStart(connection: Connection, count: number): Promise<number> {
  const { rows } = await connection.query<{ sequence: string }>('SELECT sequence FROM events ORDER BY sequence DESC OFFSET $1 LIMIT 1', [count]);
  return Number(rows[0]?.sequence ?? 0);
}

/** Returns the entities that no answer contains, as [organization, entity]. */
export async function listHidden(connection: Connection): Promise<[string, string][]> {
  const { rows } = await connection.query<{ organization_id: string; entity_id: string }>('SELECT organization_id, entity_id FROM hidden_entities');
  return rows.map((row) => [row.organization_id, row.entity_id]);
}

/**
 * Deletes events that are in batches, are older than `before`, and are not among the newest `kept`.
 * @returns number of deleted events
 */
export async function removeFolded(connection: Connection, before: Date, kept: number, limit: number): Promise<number> {
  const { rowCount } = await connection.query(
    `DELETE FROM events WHERE sequence = ANY(ARRAY(
       SELECT events.sequence FROM events JOIN event_folds USING (organization_id)
       WHERE events.sequence <= event_folds.through AND events.received_at < $1
         AND events.sequence <= (SELECT sequence FROM events ORDER BY sequence DESC OFFSET $2 LIMIT 1)
       ORDER BY events.sequence LIMIT $3))`,
    [before, kept, limit],
  );
  return rowCount ?? 0;
}
