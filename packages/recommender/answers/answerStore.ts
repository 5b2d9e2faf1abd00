import type { Connection } from '@vouch/platform/database/database';
import type { RecordedAnswer } from './recordedAnswer.ts';

/** Stores answers; the request of each is JSON text. */
export async function insertAnswers(connection: Connection, answers: readonly (Omit<RecordedAnswer, 'request'> & { request: string })[]): Promise<void> {
  const rows = answers.map(({ organizationId, recommendationId, modelId, modelVersion, answeredAt, request, lists }) => ({
    organization_id: organizationId, recommendation_id: recommendationId, model_id: modelId, model_version: modelVersion, answered_at: answeredAt.toISOString(),
    request, lists: JSON.stringify(lists),
  }));
  await connection.query(
    `INSERT INTO recent_answers (organization_id, recommendation_id, model_id, model_version, answered_at, request, lists)
     SELECT organization_id, recommendation_id, model_id, model_version, answered_at, request::json, lists::json
     FROM json_to_recordset($1::json) AS given (
       organization_id text, recommendation_id text, model_id text, model_version integer, answered_at timestamptz, request text, lists text)`,
    [JSON.stringify(rows)],
  );
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
