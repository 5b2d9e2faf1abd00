import type { Connection } from '@vouch/platform/database/database';
import type { EngineFacts, Source } from './run.schema.ts';

/** What an earlier run left for those that name it as their cache. */
export interface KeptMedia {
  runId: string;
  mediaUrl: string;
  /** Name of the media's blob, which is its hash too. */
  mediaBlob: string;
  mediaEtag: string | null;
  /** Whether the blob of the media is kept for some time yet. */
  mediaKept: boolean;
  source: Source;
  engine: EngineFacts | null;
  analysisBlob: string | null;
  analysisVersion: number | null;
  shotsCount: number | null;
}

/** A blob that is about to expire is not relied on: the run that would use it needs time to name it itself. */
const marginMinutes = 5;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** SQL that returns one text column: every blob that runs still name. Media and pieces only until they expire. */
export const runBlobReferences = `
  SELECT analysis_blob FROM video_runs WHERE analysis_blob IS NOT NULL
  UNION SELECT media_blob FROM video_runs WHERE media_blob IS NOT NULL AND kept_until > now()
  UNION SELECT blob FROM video_outputs
  UNION SELECT blob FROM video_pieces JOIN video_runs USING (run_id) WHERE kept_until > now()`;

/** What a run of the organization left; `unknown` where it has no such run, `nothing` where that run did not get so far. */
export async function findKeptMedia(
  connection: Connection, organizationId: string, runId: string,
): Promise<KeptMedia | 'unknown' | 'nothing'> {
  if (!uuid.test(runId)) return 'unknown';
  const { rows } = await connection.query<{
    run_id: string; media_url: string; media_blob: string | null; media_etag: string | null; media_kept: boolean | null;
    source: Source | null; engine: EngineFacts | null; analysis_blob: string | null; analysis_version: number | null;
    shots_count: number | null;
  }>(
    `SELECT run_id, media_url, media_blob, media_etag, kept_until > now() + make_interval(mins => $3) AS media_kept,
       source, engine, analysis_blob, analysis_version, shots_count
     FROM video_runs WHERE run_id = $1 AND organization_id = $2`,
    [runId, organizationId, marginMinutes]);
  const row = rows[0];
  if (row === undefined) return 'unknown';
  if (row.media_blob === null || row.source === null) return 'nothing';
  return {
    runId: row.run_id,
    mediaUrl: row.media_url,
    mediaBlob: row.media_blob,
    mediaEtag: row.media_etag,
    mediaKept: row.media_kept === true,
    source: row.source,
    engine: row.engine,
    analysisBlob: row.analysis_blob,
    analysisVersion: row.analysis_version,
    shotsCount: row.shots_count,
  };
}

/** Blobs of the encoded pieces that a run kept, by their keys. */
export async function findKeptPieces(connection: Connection, runId: string): Promise<Map<string, string>> {
  const { rows } = await connection.query<{ key: string; blob: string }>(
    `SELECT key, blob FROM video_pieces JOIN video_runs USING (run_id)
     WHERE run_id = $1 AND kept_until > now() + make_interval(mins => $2)`, [runId, marginMinutes]);
  return new Map(rows.map(({ key, blob }) => [key, blob]));
}

/** Records the pieces that a run encoded or took from its cache. */
export async function insertPieces(
  transaction: Connection, runId: string, pieces: readonly { key: string; blob: string }[],
): Promise<void> {
  await transaction.query(
    `INSERT INTO video_pieces (run_id, key, blob)
     SELECT $1, piece.key, piece.blob FROM jsonb_to_recordset($2) AS piece (key text, blob text)`,
    [runId, JSON.stringify(pieces)]);
}
