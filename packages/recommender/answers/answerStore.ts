import type { Connection } from '@vouch/platform/database/database';
import { isDeleted } from '../erasure/erasureLock.ts';
import type { RecordedAnswer, RecordedList, RecordedRequest } from './recordedAnswer.ts';

/** An answer to store, with request and lists as JSON text. */
export interface NewAnswer extends Omit<RecordedAnswer, 'request' | 'lists'> {
  request: string;
  lists: string;
  /** Entities that the answer is for. */
  entityIds: readonly string[];
}

/** Stores answers, except those for a deleted entity. */
export async function insertAnswers(connection: Connection, answers: readonly NewAnswer[]): Promise<void> {
  const rows = answers.map(({ organizationId, recommendationId, modelId, modelVersion, answeredAt, request, lists, entityIds }) => ({
    organization_id: organizationId, recommendation_id: recommendationId, model_id: modelId, model_version: modelVersion, answered_at: answeredAt.toISOString(),
    request, lists, entity_ids: entityIds,
  }));
  await connection.query(
    `INSERT INTO recent_answers (organization_id, recommendation_id, model_id, model_version, answered_at, request, lists, entity_ids)
     SELECT organization_id, recommendation_id, model_id, model_version, answered_at, request::json, lists::json, entity_ids
     FROM json_to_recordset($1::json) AS given (
       organization_id text, recommendation_id text, model_id text, model_version integer, answered_at timestamptz, request text, lists text, entity_ids text[])
     WHERE NOT EXISTS (SELECT FROM unnest(entity_ids) AS entity (id) WHERE ${isDeleted('given.organization_id', 'entity.id')})`,
    [JSON.stringify(rows)],
  );
}

interface AnswerRow {
  organization_id: string;
  recommendation_id: string | null;
  model_id: string;
  model_version: number;
  answered_at: Date;
  request: RecordedRequest;
  lists: RecordedList[];
}

/**
 * Returns the latest answers of an organization, the newest first.
 * @param modelId null for the answers of all models
 */
export async function listAnswers(connection: Connection, organizationId: string, modelId: string | null, limit: number): Promise<RecordedAnswer[]> {
  const { rows } = await connection.query<AnswerRow>(
    `SELECT * FROM (SELECT * FROM recent_answers WHERE organization_id = $1 ORDER BY sequence DESC LIMIT $3) AS latest
     WHERE $2::text IS NULL OR model_id = $2 ORDER BY sequence DESC`,
    [organizationId, modelId, limit],
  );
  return rows.map((row) => ({
    organizationId: row.organization_id, recommendationId: row.recommendation_id, modelId: row.model_id, modelVersion: row.model_version,
    answeredAt: row.answered_at, request: row.request, lists: row.lists,
  }));
}

/** Deletes all but the latest `kept` answers of an organization. */
export async function removeOlderAnswers(connection: Connection, organizationId: string, kept: number): Promise<void> {
  await connection.query(
    `DELETE FROM recent_answers WHERE organization_id = $1
     AND sequence <= (SELECT sequence FROM recent_answers WHERE organization_id = $1 ORDER BY sequence DESC OFFSET $2 LIMIT 1)`,
    [organizationId, kept],
  );
}

/** Deletes the answers of all organizations from before a time. */
export async function removeAnswersBefore(connection: Connection, before: Date): Promise<void> {
  await connection.query('DELETE FROM recent_answers WHERE answered_at < $1', [before]);
}
