import type { Connection } from '@vouch/platform/database/database';
import { isUuid } from '../artifacts/isUuid.ts';
import type { MediaInfo } from '../engine/media/mediaInfo.ts';
import type { StoredAnalysis } from './runStore.ts';

/** What an earlier run stored for later runs that name it in `cache_id`. */
export interface KeptMedia {
  runId: string;
  mediaUrl: string;
  /** Name of the media's blob, which is also the hash of the media. */
  mediaBlob: string;
  mediaEtag: string | null;
  /** Whether the blob of the media is kept for at least five more minutes. */
  mediaKept: boolean;
  info: MediaInfo;
  analysis: StoredAnalysis;
}

/** A blob that expires within this time is not reused: the new run needs the time to store its own reference to the blob. */
const marginMinutes = 5;

/**
 * SQL that returns one text column with every blob that runs refer to. References to media and pieces count until they expire.
 */
export const runBlobReferences = `
  SELECT analysis ->> 'blob' FROM video_runs WHERE analysis IS NOT NULL
  UNION SELECT analysis ->> 'transcript' FROM video_runs WHERE analysis ? 'transcript'
  UNION SELECT analysis -> 'begun' ->> 'blob' FROM video_runs WHERE analysis ? 'begun'
  UNION SELECT media_blob FROM video_runs WHERE media_blob IS NOT NULL AND kept_until > now()
  UNION SELECT blob FROM video_outputs
  UNION SELECT blob FROM video_pieces JOIN video_runs USING (run_id) WHERE kept_until > now()`;

/**
 * Finds what a run of the organization stored; `unknown` if the organization has no such run, `nothing` if the run was never
 * analysed.
 */
export async function findKeptMedia(
  connection: Connection, organizationId: string, runId: string,
): Promise<KeptMedia | 'unknown' | 'nothing'> {
  if (!isUuid(runId)) return 'unknown';
  const { rows } = await connection.query<{
    run_id: string; media_url: string; media_blob: string | null; media_etag: string | null; media_kept: boolean | null;
    info: MediaInfo | null; analysis: StoredAnalysis | null;
  }>(
    `SELECT run_id, media_url, media_blob, media_etag, kept_until > now() + make_interval(mins => $3) AS media_kept,
       info, analysis
     FROM video_runs WHERE run_id = $1 AND organization_id = $2`,
    [runId, organizationId, marginMinutes]);
  const row = rows[0];
  if (row === undefined) return 'unknown';
  if (row.media_blob === null || row.info === null || row.analysis === null) return 'nothing';
  return {
    runId: row.run_id,
    mediaUrl: row.media_url,
    mediaBlob: row.media_blob,
    mediaEtag: row.media_etag,
    mediaKept: row.media_kept === true,
    info: row.info,
    analysis: row.analysis,
  };
}

/** Blobs of the encoded pieces of a run, by file name. */
export async function findKeptPieces(connection: Connection, runId: string): Promise<Map<string, string>> {
  const { rows } = await connection.query<{ name: string; blob: string }>(
    `SELECT name, blob FROM video_pieces JOIN video_runs USING (run_id)
     WHERE run_id = $1 AND kept_until > now() + make_interval(mins => $2)`, [runId, marginMinutes]);
  return new Map(rows.map(({ name, blob }) => [name, blob]));
}

/** Records the pieces that a run encoded or reused. */
export async function insertPieces(
  transaction: Connection, runId: string, pieces: readonly { name: string; blob: string }[],
): Promise<void> {
  await transaction.query(
    `INSERT INTO video_pieces (run_id, name, blob)
     SELECT $1, piece.name, piece.blob FROM jsonb_to_recordset($2) AS piece (name text, blob text)`,
    [runId, JSON.stringify(pieces)]);
}
