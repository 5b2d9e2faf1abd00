import type { Connection } from '@vouch/platform/database/database';
import { countUploaded } from '../schedules/scheduleStore.ts';
import type { BatchRecord } from './batch.schema.ts';
import type { TableKind } from './scan/columns.ts';

/** Notification channel for uploaded and deleted batches; the payload is empty. */
export const batchesChannel = 'recommender_batches';

export interface NewBatch {
  batchId: string;
  kind: TableKind;
  /** Name of the Parquet blob. */
  blob: string;
  rows: number;
  /** Bytes of CSV after decompression. */
  csvBytes: number;
}

/** Selects the batches with this id and all of these tags; a null id or an empty list of tags restricts nothing. */
interface BatchFilter {
  batchId: string | null;
  tags: readonly string[];
}

export interface BatchPage {
  records: BatchRecord[];
  /** Upload order of the last record on this page, the start of the next page; null on the last page. */
  next: number | null;
}

/** A batch in the form that training reads. */
interface SnapshotBatch {
  batchId: string;
  kind: TableKind;
  blob: string;
  /** Place in the order of arrival, from 1; if several batches contain an entity id, the batch with the highest place wins. */
  sequence: number;
  rows: number;
}

interface BatchRow {
  sequence: string;
  batch_id: string;
  kind: TableKind;
  tags: string[];
  row_count: string;
  created_at: Date;
}

const rowColumns = 'sequence, batch_id, kind, tags, row_count, created_at';
const matches = '($2::text IS NULL OR batch_id::text = $2) AND tags @> $3::text[]';

function toRecord(row: BatchRow): BatchRecord {
  const rows = Number(row.row_count);
  return {
    batch_id: row.batch_id,
    timestamp: row.created_at.toISOString(),
    tags: row.tags,
    entity_count: row.kind === 'entity' ? rows : 0,
    interaction_count: row.kind === 'interaction' ? rows : 0,
  };
}

/**
 * Records the files of one upload, in their order. Must run in the transaction that stores the upload's answer.
 * @param upload `afterBatch`: only for a batch of events, number of the batch after which the events arrived
 */
export async function insertBatches(
  transaction: Connection,
  organizationId: string,
  upload: { batches: readonly NewBatch[]; tags: readonly string[]; at: Date; afterBatch?: number },
): Promise<BatchRecord[]> {
  const { batches, tags, at, afterBatch = null } = upload;
  if (afterBatch === null) await announceUpload(transaction, organizationId);
  const { rows } = await transaction.query<BatchRow>(
    `INSERT INTO batches (batch_id, kind, blob, row_count, csv_bytes, organization_id, tags, created_at, after_batch)
     SELECT batch_id, kind, blob, row_count, csv_bytes, $6, $7, $8, $9
     FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]) WITH ORDINALITY
       AS given (batch_id, kind, blob, row_count, csv_bytes, place)
     ORDER BY place
     RETURNING ${rowColumns}`,
    [
      batches.map((batch) => batch.batchId), batches.map((batch) => batch.kind), batches.map((batch) => batch.blob),
      batches.map((batch) => batch.rows), batches.map((batch) => batch.csvBytes), organizationId, tags, at, afterBatch,
    ],
  );
  const interactions = batches.reduce((sum, { kind, rows: count }) => sum + (kind === 'interaction' ? count : 0), 0);
  // Events were counted when they arrived.
  if (afterBatch === null && interactions > 0) await countUploaded(transaction, organizationId, tags, interactions);
  return rows.sort((left, right) => Number(left.sequence) - Number(right.sequence)).map(toRecord);
}

/**
 * Announces uploaded batches, and makes the numbers of an organization's batches visible in ascending order, so that a training that lists the batches knows up
 * to which number they are complete.
 */
async function announceUpload(transaction: Connection, organizationId: string): Promise<void> {
  // PostgreSQL releases the lock after the commit became visible.
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`vouch:recommender-batches:${organizationId}`]);
  await transaction.query(`NOTIFY ${batchesChannel}`);
}

/**
 * Returns one page of records, newest first.
 * @param page `before`: `next` of the previous page, null for the first page
 */
export async function listBatches(
  connection: Connection,
  organizationId: string,
  filter: BatchFilter,
  page: { limit: number; before: number | null },
): Promise<BatchPage> {
  const { rows } = await connection.query<BatchRow>(
    `SELECT ${rowColumns} FROM batches
     WHERE organization_id = $1 AND ${matches} AND ($4::bigint IS NULL OR sequence < $4)
     ORDER BY sequence DESC LIMIT $5`,
    [organizationId, filter.batchId, filter.tags, page.before, page.limit + 1],
  );
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const next = rows.length > page.limit && last !== undefined ? Number(last.sequence) : null;
  return { records: shown.map(toRecord), next };
}

/** Deletes the matching batches and returns their records, newest first. */
export async function removeBatches(
  transaction: Connection, organizationId: string, filter: BatchFilter,
): Promise<BatchRecord[]> {
  const { rows } = await transaction.query<BatchRow>(
    `DELETE FROM batches WHERE organization_id = $1 AND ${matches} RETURNING ${rowColumns}`,
    [organizationId, filter.batchId, filter.tags],
  );
  await transaction.query(`NOTIFY ${batchesChannel}`);
  return rows.sort((left, right) => Number(right.sequence) - Number(left.sequence)).map(toRecord);
}

/** Whether the organization has a batch with this id. */
export async function batchExists(connection: Connection, organizationId: string, batchId: string): Promise<boolean> {
  const { rowCount } = await connection.query(
    'SELECT 1 FROM batches WHERE organization_id = $1 AND batch_id::text = $2', [organizationId, batchId],
  );
  return rowCount === 1;
}

/** Returns the tags that no batch of the organization has, in the given order. */
export async function listUnmatchedTags(connection: Connection, organizationId: string, tags: readonly string[]): Promise<string[]> {
  const { rows } = await connection.query<{ tag: string }>(
    `SELECT tag FROM unnest($2::text[]) WITH ORDINALITY AS given (tag, place)
     WHERE NOT EXISTS (SELECT FROM batches WHERE organization_id = $1 AND tags @> ARRAY[tag])
     ORDER BY place`,
    [organizationId, tags],
  );
  return rows.map(({ tag }) => tag);
}

/** Number of the newest batches whose tags are listed. */
const maxTaggedBatches = 10_000;

/** The distinct tags of the organization's newest batches. */
export async function listTags(connection: Connection, organizationId: string): Promise<string[]> {
  const { rows } = await connection.query<{ tag: string }>(
    `SELECT DISTINCT unnest(tags) AS tag
     FROM (SELECT tags FROM batches WHERE organization_id = $1 ORDER BY sequence DESC LIMIT $2) AS newest
     ORDER BY tag`,
    [organizationId, maxTaggedBatches],
  );
  return rows.map(({ tag }) => tag);
}

/**
 * The batches for a training: batches with any of the tags (all batches if no tag is given), in the order in
 * which their data arrived. The training
 * must reference the blobs in its own rows, so that a deletion of the batches does not delete the blobs.
 */
export async function snapshotBatches(
  connection: Connection, organizationId: string, dataTags: readonly string[],
): Promise<SnapshotBatch[]> {
  const { rows } = await connection.query<BatchRow & { blob: string }>(
    `SELECT ${rowColumns}, blob FROM batches
     WHERE organization_id = $1 AND (cardinality($2::text[]) = 0 OR tags && $2::text[])
     ORDER BY coalesce(after_batch, sequence), after_batch IS NOT NULL, sequence`,
    [organizationId, dataTags],
  );
  return rows.map((row, place) => ({
    batchId: row.batch_id, kind: row.kind, blob: row.blob, sequence: place + 1, rows: Number(row.row_count),
  }));
}

/** Returns the number of an organization's newest batch; 0 if there is none. */
export async function findNewestBatch(connection: Connection, organizationId: string): Promise<number> {
  const { rows } = await connection.query<{ sequence: string | null }>('SELECT max(sequence) AS sequence FROM batches WHERE organization_id = $1', [organizationId]);
  return Number(rows[0]?.sequence ?? 0);
}
