import type { Connection } from '@vouch/platform/database/database';
import type { Tier, Warning } from '../engine/analysis/analysis.ts';
import type { MediaInfo } from '../engine/media/mediaInfo.ts';
import type { SummaryOptions } from '../engine/options/options.schema.ts';
import type { Segment } from '../engine/selection/selection.ts';

/** A finished analysis; other runs of the same media may use it as well. */
export interface StoredAnalysis {
  blob: string;
  version: number;
  tier: Tier;
  backend: { name: 'ffmpeg' | 'node-av'; version: string };
  shots: number;
  warnings: readonly Warning[];
}

/** A run as its own tables have it; status, stage and times are those of its job. */
export interface Run {
  runId: string;
  mediaUrl: string;
  options: SummaryOptions;
  cacheId: string | null;
  cacheHit: boolean | null;
  hook: string | null;
  info: MediaInfo | null;
  analysis: StoredAnalysis | null;
  segments: readonly Segment[] | null;
  warnings: Warning[];
  /** Seconds by stage. */
  timings: Record<string, number>;
}

/** A file that a run made. */
export interface Output {
  /** Last part of its link. */
  name: string;
  kind: string;
  blob: string;
  bytes: number;
  contentType: string;
  width?: number | undefined;
  height?: number | undefined;
  duration?: number | undefined;
  time?: number | undefined;
}

/** What becomes known while a run goes on; whatever is left out stays as it was. */
export interface Findings {
  cacheHit?: boolean;
  info?: MediaInfo;
  analysis?: StoredAnalysis;
  segments?: readonly Segment[];
  warnings?: readonly Warning[];
  timings?: Record<string, number>;
  mediaBlob?: string;
  mediaEtag?: string | null;
  keptUntil?: Date;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Records a requested run; its id is that of its job. */
export async function insertRun(
  transaction: Connection,
  organizationId: string,
  run: { runId: string; mediaUrl: string; options: SummaryOptions; cacheId: string | null; hook: string | null },
): Promise<void> {
  await transaction.query(
    `INSERT INTO video_runs (run_id, organization_id, media_url, options, cache_id, hook) VALUES ($1, $2, $3, $4, $5, $6)`,
    [run.runId, organizationId, run.mediaUrl, JSON.stringify(run.options), run.cacheId, run.hook],
  );
}

interface RunRow {
  run_id: string;
  media_url: string;
  options: SummaryOptions;
  cache_id: string | null;
  cache_hit: boolean | null;
  hook: string | null;
  info: MediaInfo | null;
  analysis: StoredAnalysis | null;
  segments: Segment[] | null;
  warnings: Warning[];
  timings: Record<string, number>;
}

/** A run of the organization, null where it has none with this id. */
export async function findRun(connection: Connection, organizationId: string, runId: string): Promise<Run | null> {
  if (!uuid.test(runId)) return null;
  const { rows } = await connection.query<RunRow>(
    `SELECT run_id, media_url, options, cache_id, cache_hit, hook, info, analysis, segments, warnings, timings
     FROM video_runs WHERE run_id = $1 AND organization_id = $2`,
    [runId, organizationId],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    runId: row.run_id,
    mediaUrl: row.media_url,
    options: row.options,
    cacheId: row.cache_id,
    cacheHit: row.cache_hit,
    hook: row.hook,
    info: row.info,
    analysis: row.analysis,
    segments: row.segments,
    warnings: row.warnings,
    timings: row.timings,
  };
}

/** Stores what a run has found out; also of runs that fail afterwards. */
export async function storeFindings(connection: Connection, runId: string, findings: Findings): Promise<void> {
  const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
  await connection.query(
    `UPDATE video_runs SET
       cache_hit = coalesce($2, cache_hit), info = coalesce($3, info), analysis = coalesce($4, analysis),
       segments = coalesce($5, segments), warnings = coalesce($6, warnings), timings = coalesce($7, timings),
       media_blob = coalesce($8, media_blob), media_etag = coalesce($9, media_etag), kept_until = coalesce($10, kept_until)
     WHERE run_id = $1`,
    [
      runId, findings.cacheHit ?? null, json(findings.info), json(findings.analysis), json(findings.segments),
      json(findings.warnings), json(findings.timings), findings.mediaBlob ?? null, findings.mediaEtag ?? null,
      findings.keptUntil ?? null,
    ],
  );
}

/** Records the files of a run, in the order in which they are listed. */
export async function insertOutputs(transaction: Connection, runId: string, outputs: readonly Output[]): Promise<void> {
  await transaction.query(
    `INSERT INTO video_outputs (run_id, position, name, kind, blob, bytes, content_type, width, height, duration, time)
     SELECT $1, output.* FROM jsonb_to_recordset($2) AS output
       (position integer, name text, kind text, blob text, bytes bigint, "contentType" text, width integer, height integer,
        duration double precision, time double precision)`,
    [runId, JSON.stringify(outputs.map((output, position) => ({ ...output, position })))],
  );
}

interface OutputRow {
  name: string;
  kind: string;
  blob: string;
  bytes: string;
  content_type: string;
  width: number | null;
  height: number | null;
  duration: number | null;
  time: number | null;
}

const outputColumns = 'name, kind, blob, bytes, content_type, width, height, duration, time';

function toOutput(row: OutputRow): Output {
  return {
    name: row.name,
    kind: row.kind,
    blob: row.blob,
    bytes: Number(row.bytes),
    contentType: row.content_type,
    width: row.width ?? undefined,
    height: row.height ?? undefined,
    duration: row.duration ?? undefined,
    time: row.time ?? undefined,
  };
}

/** The files of a run. */
export async function listOutputs(connection: Connection, runId: string): Promise<Output[]> {
  const { rows } = await connection.query<OutputRow>(
    `SELECT ${outputColumns} FROM video_outputs WHERE run_id = $1 ORDER BY position`, [runId]);
  return rows.map(toOutput);
}

/** One file of a run with the address of the run's media, for its name; null where there is none. */
export async function findOutput(
  connection: Connection, runId: string, name: string,
): Promise<(Output & { mediaUrl: string }) | null> {
  if (!uuid.test(runId)) return null;
  const { rows } = await connection.query<OutputRow & { media_url: string }>(
    `SELECT ${outputColumns}, media_url FROM video_outputs JOIN video_runs USING (run_id) WHERE run_id = $1 AND name = $2`,
    [runId, name]);
  const row = rows[0];
  return row === undefined ? null : { ...toOutput(row), mediaUrl: row.media_url };
}
