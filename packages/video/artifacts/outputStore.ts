import type { Connection } from '@vouch/platform/database/database';
import type { PosterChoice } from '../engine/report/posterFigures.ts';
import type { Framing } from '../engine/report/shapedPreviews.ts';
import { isUuid } from './isUuid.ts';

/** An output file of a run. */
export interface Output {
  /** File name, the last part of the link. */
  name: string;
  kind: string;
  blob: string;
  bytes: number;
  contentType: string;
  width?: number | undefined;
  height?: number | undefined;
  duration?: number | undefined;
  time?: number | undefined;
  /** Requested aspect ratio, such as `9:16`. */
  aspectRatio?: string | undefined;
  framing?: Framing | undefined;
  choice?: PosterChoice | undefined;
}

/** Records the output files of a run in the given order. */
export async function insertOutputs(transaction: Connection, runId: string, outputs: readonly Output[]): Promise<void> {
  await transaction.query(
    `INSERT INTO video_outputs (run_id, position, name, kind, blob, bytes, content_type, width, height, duration, time, aspect_ratio, framing, choice)
     SELECT $1, output.* FROM jsonb_to_recordset($2) AS output
       (position integer, name text, kind text, blob text, bytes bigint, "contentType" text, width integer, height integer,
        duration double precision, time double precision, "aspectRatio" text, framing jsonb, choice jsonb)`,
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
  aspect_ratio: string | null;
  framing: Framing | null;
  choice: PosterChoice | null;
}

const outputColumns = 'name, kind, blob, bytes, content_type, width, height, duration, time, aspect_ratio, framing, choice';

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
    aspectRatio: row.aspect_ratio ?? undefined,
    framing: row.framing ?? undefined,
    choice: row.choice ?? undefined,
  };
}

/** Lists the output files of a run. */
export async function listOutputs(connection: Connection, runId: string): Promise<Output[]> {
  const { rows } = await connection.query<OutputRow>(
    `SELECT ${outputColumns} FROM video_outputs WHERE run_id = $1 ORDER BY position`, [runId]);
  return rows.map(toOutput);
}

/** Lists the output files of several runs, keyed by the runs' ids. */
export async function listOutputsOf(connection: Connection, runIds: readonly string[]): Promise<ReadonlyMap<string, Output[]>> {
  const { rows } = await connection.query<OutputRow & { run_id: string }>(
    `SELECT run_id, ${outputColumns} FROM video_outputs WHERE run_id = ANY($1) ORDER BY run_id, position`, [runIds]);
  const outputs = new Map<string, Output[]>();
  for (const row of rows) outputs.set(row.run_id, [...(outputs.get(row.run_id) ?? []), toOutput(row)]);
  return outputs;
}

/** Finds one output file of a run, with the URL of the run's media for the download name; null if the file does not exist. */
export async function findOutput(
  connection: Connection, runId: string, name: string,
): Promise<(Output & { mediaUrl: string }) | null> {
  if (!isUuid(runId)) return null;
  const { rows } = await connection.query<OutputRow & { media_url: string }>(
    `SELECT ${outputColumns}, media_url FROM video_outputs JOIN video_runs USING (run_id) WHERE run_id = $1 AND name = $2`,
    [runId, name]);
  const row = rows[0];
  return row === undefined ? null : { ...toOutput(row), mediaUrl: row.media_url };
}
