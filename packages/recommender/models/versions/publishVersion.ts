import type { Connection } from '@vouch/platform/database/database';
import type { Evaluation } from '../../engine/data/trainedModel.ts';
import type { DataSummary } from '../arrays/trainingSnapshot.ts';
import type { Comparison } from '../training/comparison.schema.ts';
import type { StoredParameters, TrainingWarning } from '../training/training.schema.ts';
import { compareMetrics, type Measured } from './compareMetrics.ts';

/** Notification channel for a new serving version of any model. */
export const modelsChannel = 'recommender_models';

/** A finished model file and the training that made it. */
interface Finished {
  jobId: string;
  modelId: string;
  blob: string;
  parameters: StoredParameters;
  metrics: Evaluation | null;
  data: DataSummary;
}

/**
 * Stores a finished model file as the next version of its model and compares the version with the version that serves. The new version then answers
 * queries, unless it is worse and the training said so. Keeps the newest `kept` versions that served, so that trainings that did not replace the model
 * remove none of them, and the newest `kept` others; removes the rest, but never the version that serves.
 * @returns number of the version
 */
export async function publishVersion(transaction: Connection, organizationId: string, finished: Finished, kept: number): Promise<number> {
  const { jobId, modelId, blob, metrics, data } = finished;
  const serving = await lockServing(transaction, organizationId, modelId);
  const { rows } = await transaction.query<{ version: number }>(
    `INSERT INTO model_versions (organization_id, model_id, version, blob, training)
     SELECT $1, $2, greatest(coalesce(max(version), 0), $5) + 1, $3, $4 FROM model_versions WHERE organization_id = $1 AND model_id = $2
     RETURNING version`,
    [organizationId, modelId, blob, jobId, serving?.version ?? 0],
  );
  const version = (rows[0] as { version: number }).version;
  const comparison = serving === null ? null : compare(finished, serving, version);
  await transaction.query('UPDATE trainings SET metrics = $2, data = $3, comparison = $4, warnings = warnings || $5::jsonb WHERE job_id = $1', [
    jobId, toJson(metrics), toJson(data), toJson(comparison), JSON.stringify(warnIfWorse(comparison, modelId)),
  ]);
  if (comparison?.serves ?? true) await serve(transaction, organizationId, modelId, version, 'trained');
  await transaction.query(
    `DELETE FROM model_versions USING models
     WHERE model_versions.organization_id = $1 AND model_versions.model_id = $2 AND models.organization_id = $1 AND models.model_id = $2
       AND version <> serving_version
       AND version NOT IN (
         SELECT version FROM (
           SELECT version, row_number() OVER (PARTITION BY served ORDER BY version DESC) AS place
           FROM model_versions WHERE organization_id = $1 AND model_id = $2) AS placed
         WHERE place <= $3)`,
    [organizationId, modelId, kept],
  );
  return version;
}

interface Serving extends Measured {
  version: number;
}

/** Locks a model until the transaction ends. @returns the version that serves, null before the first */
async function lockServing(transaction: Connection, organizationId: string, modelId: string): Promise<Serving | null> {
  const { rows } = await transaction.query<{ serving_version: number | null; serving_training: string | null }>(
    'SELECT serving_version, serving_training FROM models WHERE organization_id = $1 AND model_id = $2 FOR UPDATE', [organizationId, modelId]);
  const row = rows[0];
  if (row === undefined) throw new Error(`model ${modelId} has no row`);
  if (row.serving_version === null) return null;
  const trainings = await transaction.query<Measured>('SELECT metrics, parameters, data FROM trainings WHERE job_id = $1', [row.serving_training]);
  const unknown: Measured = { metrics: null, data: null, parameters: { setting: 'auto', seed: 1, data_tags: [], maximum_interaction_age_days: null } };
  return { version: row.serving_version, ...(trainings.rows[0] ?? unknown) };
}

function compare(finished: Finished, serving: Serving, version: number): Comparison {
  const comparison = compareMetrics(finished, serving, serving.version);
  const serves = comparison.verdict !== 'worse' || finished.parameters.publish !== 'unless-worse';
  return { version, with_version: serving.version, ...comparison, serves };
}

function warnIfWorse(comparison: Comparison | null, modelId: string): TrainingWarning[] {
  if (comparison?.verdict !== 'worse') return [];
  const { reason, version, with_version: old, serves } = comparison;
  const other = `POST /v1/recommender/${modelId}/rollback with {"version": ${serves ? old : version}}`;
  const outcome = serves
    ? `Version ${version} is worse and serves; ${other} makes version ${old} serve again.`
    : `Version ${version} is worse, so version ${old} continues to serve ("publish": "unless-worse"); ${other} makes version ${version} serve.`;
  return [{ code: 'worse-than-serving', detail: `${outcome} ${reason}` }];
}

/**
 * Makes a stored version the one that answers queries, and announces it to all servers.
 * @param how the model trained last answers queries without a `model_id`; a rollback does not change which model this is
 */
export async function serve(transaction: Connection, organizationId: string, modelId: string, version: number, how: 'trained' | 'rolled back'): Promise<void> {
  await transaction.query(
    `UPDATE models SET serving_version = version, serving_blob = blob, serving_training = training,
       served_since = CASE WHEN $4 THEN now() ELSE served_since END
     FROM model_versions
     WHERE models.organization_id = $1 AND models.model_id = $2 AND model_versions.organization_id = $1 AND model_versions.model_id = $2 AND version = $3`,
    [organizationId, modelId, version, how === 'trained'],
  );
  await transaction.query('UPDATE model_versions SET served = true WHERE organization_id = $1 AND model_id = $2 AND version = $3', [organizationId, modelId, version]);
  await transaction.query('SELECT pg_notify($1, $2)', [modelsChannel, organizationId]);
}

function toJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
