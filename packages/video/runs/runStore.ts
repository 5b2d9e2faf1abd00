import type { Connection } from '@vouch/platform/database/database';
import { isUuid } from '../artifacts/isUuid.ts';
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
  /** Null in a tier that reports no shots. */
  shots: number | null;
  warnings: readonly Warning[];
  /** Blob of the transcription, if the sound was transcribed to its end. */
  transcript?: string;
  /** The transcription so far, for a worker that takes over the run. */
  begun?: BegunTranscript;
}

/** The text of the beginning of the sound. */
export interface BegunTranscript {
  /** SubRip. */
  blob: string;
  /** End of the transcribed part, seconds. */
  to: number;
}

/** A row of `video_runs`. Status, stage and times are in the row of the job. */
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
  /** Duration of each stage, seconds. */
  timings: Record<string, number>;
}

/** Facts that a run stores while it is active. An omitted field keeps its value. */
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

/** Records a requested run. The id of the run is the id of its job. */
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

const runColumns = 'run_id, media_url, options, cache_id, cache_hit, hook, info, analysis, segments, warnings, timings';

/** Finds a run of the organization; null if the organization has no run with this id. */
export async function findRun(connection: Connection, organizationId: string, runId: string): Promise<Run | null> {
  if (!isUuid(runId)) return null;
  const [run] = await findRuns(connection, organizationId, [runId]);
  return run ?? null;
}

/** Finds the runs of the organization that have these ids, in any order. */
export async function findRuns(connection: Connection, organizationId: string, runIds: readonly string[]): Promise<Run[]> {
  const { rows } = await connection.query<RunRow>(
    `SELECT ${runColumns} FROM video_runs WHERE run_id = ANY($1) AND organization_id = $2`, [runIds, organizationId]);
  return rows.map(toRun);
}

/**
 * Returns the ids of one page of runs, newest first, and the position of the next page; null on the last page.
 * @param page `before`: `next` of the previous page, null for the first page
 */
export async function listRunIds(
  connection: Connection, organizationId: string, page: { limit: number; before: number | null },
): Promise<{ ids: string[]; next: number | null }> {
  const { rows } = await connection.query<{ number: string; run_id: string }>(
    `SELECT jobs.number, run_id FROM jobs JOIN video_runs ON run_id = jobs.id
     WHERE jobs.organization_id = $1 AND ($2::bigint IS NULL OR jobs.number < $2)
     ORDER BY jobs.number DESC LIMIT $3`,
    [organizationId, page.before, page.limit + 1]);
  const next = rows.length > page.limit ? Number(rows[page.limit - 1]?.number) : null;
  return { ids: rows.slice(0, page.limit).map((row) => row.run_id), next };
}

function toRun(row: RunRow): Run {
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

/** Stores facts about a run at once, so that they remain if the run fails later. */
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
