import type { Connection } from '@vouch/platform/database/database';
import type { Problem } from '@vouch/platform/errors/problem';
import { isUuid } from '../artifacts/isUuid.ts';
import { videoErrors } from '../errors/videoErrors.ts';
import { uploadUrl } from './uploadUrl.ts';

/** Hours after the last change after which an upload without a run expires. */
const idleHours = 24;
/** Hours for which an upload stays available to a run that waits in the queue. */
const waitingHours = 7 * 24;
/** Maximum number of unfinished uploads of an organization. */
const maxUnfinished = 50;
/** Expired rows removed per created upload. */
const sweepRows = 100;

/** A row of `video_uploads` that has not expired. */
export interface Upload {
  uploadId: string;
  length: number;
  /** Number of stored bytes, from the start of the file. */
  received: number;
  /** The header `Upload-Metadata`, or null. */
  metadata: string | null;
  expiresAt: Date;
}

interface UploadRow {
  upload_id: string;
  length: string;
  received: string;
  metadata: string | null;
  expires_at: Date;
}

const columns = 'upload_id, length, received, metadata, expires_at';

/** SQL that returns the blobs of all uploads that have not expired. */
export const uploadBlobReferences = `
  SELECT blob FROM video_upload_parts JOIN video_uploads USING (upload_id) WHERE expires_at > now()`;

/**
 * Records an upload and removes rows of expired uploads.
 * @param maxBytes maximum total length of the organization's uploads, finished and unfinished
 * @throws Problem `too-many-uploads` or `uploads-full`
 */
export async function insertUpload(
  transaction: Connection, organizationId: string, upload: { uploadId: string; length: number; metadata: string | null }, maxBytes: number,
): Promise<Upload> {
  await transaction.query(
    `DELETE FROM video_uploads WHERE upload_id = ANY(ARRAY(
       SELECT upload_id FROM video_uploads WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED))`, [sweepRows]);
  // Serializes the creations of one organization, so that concurrent requests cannot exceed the limits.
  await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended('video uploads ' || $1, 0))`, [organizationId]);
  await refuseMoreBytes(transaction, organizationId, upload.length, maxBytes);
  const { rows } = await transaction.query<UploadRow>(
    `INSERT INTO video_uploads (upload_id, organization_id, length, metadata, expires_at)
     SELECT $1, $2, $3, $4, now() + make_interval(hours => $5)
     WHERE (SELECT count(*) FROM video_uploads WHERE organization_id = $2 AND received < length AND expires_at > now()) < $6
     RETURNING ${columns}`,
    [upload.uploadId, organizationId, upload.length, upload.metadata, idleHours, maxUnfinished]);
  const [row] = rows;
  if (row === undefined) {
    throw videoErrors.problem(
      'too-many-uploads', `The organization has ${maxUnfinished} unfinished uploads, the limit. Finish or delete uploads; unfinished uploads expire after ${idleHours} hours.`);
  }
  return toUpload(row);
}

/** @throws Problem `uploads-full` if the unexpired uploads of the organization and `length` bytes exceed the limit */
async function refuseMoreBytes(transaction: Connection, organizationId: string, length: number, maxBytes: number): Promise<void> {
  const { rows: [row] } = await transaction.query<{ count: string; bytes: string; expires: Date | null }>(
    `SELECT count(*) AS count, coalesce(sum(length), 0) AS bytes, min(expires_at) AS expires FROM video_uploads
     WHERE organization_id = $1 AND length > 0 AND expires_at > now()`, [organizationId]);
  const stored = Number(row?.bytes ?? 0);
  if (stored + length <= maxBytes) return;
  const next = row?.expires === undefined || row.expires === null ? '' : ` The next upload expires at ${row.expires.toISOString()}.`;
  throw videoErrors.problem(
    'uploads-full', `Upload-Length is ${length} bytes, and the ${row?.count ?? 0} uploads of the organization have ${stored} bytes; the limit of both is ${maxBytes}.${next} Delete uploads that no run needs, or raise VOUCH_VIDEO_UPLOADS_MAX_BYTES.`);
}

/** Finds an upload of the organization. @throws Problem `unknown-upload` for unknown, expired and foreign uploads */
export async function findUpload(connection: Connection, organizationId: string, uploadId: string): Promise<Upload> {
  if (!isUuid(uploadId)) throw unknownUpload(uploadId);
  const { rows } = await connection.query<UploadRow>(
    `SELECT ${columns} FROM video_uploads WHERE upload_id = $1 AND organization_id = $2 AND expires_at > now()`, [uploadId, organizationId]);
  const [row] = rows;
  if (row === undefined) throw unknownUpload(uploadId);
  return toUpload(row);
}

/**
 * Records a stored piece. Of several writers at one offset, one succeeds.
 * @returns the upload after the piece
 * @throws Problem `upload-offset` if the upload has another number of bytes by now
 */
export async function appendPart(
  transaction: Connection, organizationId: string, uploadId: string, part: { start: number; bytes: number; blob: string },
): Promise<Upload> {
  const { rows } = await transaction.query<UploadRow>(
    `UPDATE video_uploads SET received = received + $4, expires_at = greatest(expires_at, now() + make_interval(hours => $5))
     WHERE upload_id = $1 AND organization_id = $2 AND received = $3 AND expires_at > now() RETURNING ${columns}`,
    [uploadId, organizationId, part.start, part.bytes, idleHours]);
  const [row] = rows;
  if (row === undefined) {
    const { received } = await findUpload(transaction, organizationId, uploadId);
    throw wrongOffset(part.start, received);
  }
  await transaction.query('INSERT INTO video_upload_parts (upload_id, start, bytes, blob) VALUES ($1, $2, $3, $4)', [uploadId, part.start, part.bytes, part.blob]);
  return toUpload(row);
}

/** Removes an upload. @throws Problem `unknown-upload` */
export async function removeUpload(connection: Connection, organizationId: string, uploadId: string): Promise<void> {
  await findUpload(connection, organizationId, uploadId);
  await connection.query('DELETE FROM video_uploads WHERE upload_id = $1 AND organization_id = $2', [uploadId, organizationId]);
}

/**
 * Keeps a finished upload for a run that waits in the queue.
 * @throws Problem `unknown-upload` or `upload-unfinished`
 */
export async function keepForRun(transaction: Connection, organizationId: string, uploadId: string): Promise<void> {
  const { length, received } = await findUpload(transaction, organizationId, uploadId);
  if (received < length) {
    throw videoErrors.problem('upload-unfinished', `The upload ${uploadId} has ${received} of ${length} bytes. Send the rest with PATCH /v1/uploads/${uploadId}, then start the run.`);
  }
  await transaction.query(
    'UPDATE video_uploads SET expires_at = greatest(expires_at, now() + make_interval(hours => $2)) WHERE upload_id = $1', [uploadId, waitingHours]);
}

/**
 * Lets an upload expire after `hours`, unless another run of the organization still waits for the upload or uses the upload, whatever the form of its
 * `media_url`.
 */
export async function releaseUpload(
  transaction: Connection, organizationId: string, upload: { uploadId: string; runId: string; hours: number },
): Promise<void> {
  // Locked by a statement of its own: the next one then sees every run that was created or ended while this one waited.
  await transaction.query('SELECT FROM video_uploads WHERE upload_id = $1 AND organization_id = $2 FOR UPDATE', [upload.uploadId, organizationId]);
  await transaction.query(
    `UPDATE video_uploads SET expires_at = least(expires_at, now() + make_interval(hours => $4))
     WHERE upload_id = $1 AND organization_id = $2 AND NOT EXISTS (
       SELECT FROM video_runs JOIN jobs ON jobs.id = run_id
       WHERE video_runs.organization_id = $2 AND split_part(media_url, '/', 1) = $5 AND run_id <> $3 AND jobs.completed_at IS NULL)`,
    [upload.uploadId, organizationId, upload.runId, upload.hours, uploadUrl(upload.uploadId)]);
}

/** Blobs with the bytes of an upload, in their order. */
export async function listParts(connection: Connection, uploadId: string): Promise<string[]> {
  const { rows } = await connection.query<{ blob: string }>('SELECT blob FROM video_upload_parts WHERE upload_id = $1 ORDER BY start', [uploadId]);
  return rows.map(({ blob }) => blob);
}

/** Replaces the parts of a complete upload by one blob with the same bytes, so that the blobs of the parts can be collected. */
export async function replaceParts(transaction: Connection, uploadId: string, blob: { name: string; bytes: number }): Promise<void> {
  await transaction.query('DELETE FROM video_upload_parts WHERE upload_id = $1', [uploadId]);
  // No row if the upload was deleted meanwhile.
  await transaction.query(
    `INSERT INTO video_upload_parts (upload_id, start, bytes, blob)
     SELECT upload_id, 0, $2, $3 FROM video_uploads WHERE upload_id = $1 FOR UPDATE`, [uploadId, blob.bytes, blob.name]);
}

/** The problem of a piece that does not begin at the end of the stored bytes. */
export function wrongOffset(given: number, received: number): Problem {
  return videoErrors.problem('upload-offset', `Upload-Offset is ${given}, but the upload has ${received} bytes. Ask for the offset with HEAD and continue there.`);
}

function unknownUpload(id: string): Problem {
  return videoErrors.problem('unknown-upload', `No upload has the id ${JSON.stringify(id.slice(0, 80))}, or the upload has expired. Start a new upload with POST /v1/uploads.`);
}

function toUpload(row: UploadRow): Upload {
  return { uploadId: row.upload_id, length: Number(row.length), received: Number(row.received), metadata: row.metadata, expiresAt: row.expires_at };
}
