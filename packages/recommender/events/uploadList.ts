import type { Connection } from '@vouch/platform/database/database';
import type { UploadedBatch } from './uploadedFile.ts';

/** Maximum number of batches of an organization that are listed. */
const maxListed = 1_000;

/**
 * Lists the uploaded batches of interactions that a version which answers queries was not trained on, at most the newest 1,000 of each organization. Batches
 * of events are not listed, because their events count when they arrive.
 */
export async function listUploads(connection: Connection): Promise<UploadedBatch[]> {
  const { rows } = await connection.query<{
    batch_id: string; organization_id: string; sequence: string; blob: string; tags: string[]; row_count: string; csv_bytes: string; created_at: Date;
  }>(
    `SELECT newest.* FROM (
       SELECT models.organization_id, min(batches_through) AS through FROM models JOIN trainings ON trainings.job_id = models.serving_training
       WHERE batches_through IS NOT NULL GROUP BY models.organization_id) AS served
     CROSS JOIN LATERAL (
       SELECT batch_id, organization_id, sequence, blob, tags, row_count, csv_bytes, created_at FROM batches
       WHERE organization_id = served.organization_id AND sequence > served.through AND kind = 'interaction' AND after_batch IS NULL
       ORDER BY sequence DESC LIMIT ${maxListed}) AS newest`,
  );
  return rows.map((row) => ({
    batchId: row.batch_id, organizationId: row.organization_id, sequence: Number(row.sequence), blob: row.blob, tags: row.tags,
    rows: Number(row.row_count), csvBytes: Number(row.csv_bytes), uploadedAt: row.created_at.getTime(),
  }));
}
