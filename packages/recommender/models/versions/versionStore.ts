import type { Connection } from '@vouch/platform/database/database';
import type { Evaluation } from '../../engine/data/trainedModel.ts';
import { recommenderErrors } from '../../errors/recommenderErrors.ts';
import { unknownModel } from '../../errors/unknownModel.ts';
import type { Comparison } from '../training/comparison.schema.ts';
import type { StoredParameters } from '../training/training.schema.ts';
import { serve } from './publishVersion.ts';

/** A version of a model that can answer queries. */
export interface StoredVersion {
  version: number;
  serving: boolean;
  /** Whether the version ever answered queries. */
  served: boolean;
  createdAt: Date;
  /** Null for versions of releases that did not record their training. */
  parameters: StoredParameters | null;
  metrics: Evaluation | null;
  comparison: Comparison | null;
}

/**
 * Lists the kept versions of a model, newest first; empty before the first completed training.
 * @throws Problem `unknown-model`
 */
export async function listVersions(connection: Connection, organizationId: string, modelId: string): Promise<StoredVersion[]> {
  const { rows } = await connection.query<{
    version: number | null; serving: boolean; served: boolean; created_at: Date; parameters: StoredParameters | null; metrics: Evaluation | null; comparison: Comparison | null;
  }>(
    `SELECT version, version = serving_version AS serving, served, model_versions.created_at, parameters, metrics, comparison
     FROM models
     LEFT JOIN model_versions USING (organization_id, model_id)
     LEFT JOIN trainings ON trainings.job_id = model_versions.training
     WHERE models.organization_id = $1 AND models.model_id = $2
     ORDER BY version DESC`,
    [organizationId, modelId],
  );
  if (rows.length === 0) throw await unknownModel(connection, organizationId, modelId);
  return rows.flatMap(({ version, created_at: createdAt, ...rest }) => (version === null ? [] : [{ ...rest, version, createdAt }]));
}

/**
 * Makes a kept version answer queries.
 * @param wanted omitted for the newest version before the version that serves, among those that answered queries
 * @returns the version that serves now
 * @throws Problem `unknown-model` or `unknown-version`
 */
export async function rollBack(transaction: Connection, organizationId: string, modelId: string, wanted: number | undefined): Promise<StoredVersion> {
  await transaction.query('SELECT 1 FROM models WHERE organization_id = $1 AND model_id = $2 FOR UPDATE', [organizationId, modelId]);
  const versions = await listVersions(transaction, organizationId, modelId);
  const serving = versions.find((version) => version.serving)?.version ?? 0;
  const chosen = versions.find(({ version, served }) => (wanted === undefined ? served && version < serving : version === wanted));
  if (chosen === undefined) throw unknownVersion(modelId, wanted, versions, serving);
  await serve(transaction, organizationId, modelId, chosen.version, 'rolled back');
  return { ...chosen, serving: true };
}

/**
 * Finds the model file of a kept version.
 * @throws Problem `unknown-model` or `unknown-version`
 */
export async function findVersionBlob(connection: Connection, organizationId: string, modelId: string, version: number): Promise<string> {
  const { rows } = await connection.query<{ blob: string }>(
    'SELECT blob FROM model_versions WHERE organization_id = $1 AND model_id = $2 AND version = $3', [organizationId, modelId, version]);
  if (rows[0] !== undefined) return rows[0].blob;
  const versions = await listVersions(connection, organizationId, modelId);
  throw unknownVersion(modelId, version, versions, versions.find(({ serving }) => serving)?.version ?? 0);
}

function unknownVersion(modelId: string, wanted: number | undefined, versions: readonly StoredVersion[], serving: number): Error {
  const kept = versions.length === 0
    ? 'No training of the model has completed.'
    : `The kept versions are ${versions.map(({ version }) => version).toReversed().join(', ')}; version ${serving} serves.`;
  const missing = wanted === undefined ? `The model ${JSON.stringify(modelId)} has no kept version that served before the current one.` : `The model ${JSON.stringify(modelId)} has no version ${wanted}.`;
  return recommenderErrors.problem('unknown-version', `${missing} ${kept} VOUCH_KEPT_VERSIONS sets how many versions of a model are kept.`);
}
