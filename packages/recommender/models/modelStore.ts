import type { Connection } from '@vouch/platform/database/database';
import { describeWaiting } from '@vouch/platform/jobs/describeWaiting';
import type { Job } from '@vouch/platform/jobs/job';
import type { Evaluation } from '../engine/data/trainedModel.ts';
import type { DataSummary } from './arrays/trainingSnapshot.ts';
import type { TrainedFilter } from './filter/newEntities.ts';
import { explainVerdict } from './training/explainVerdict.ts';
import type { Comparison } from './training/comparison.schema.ts';
import type { StartedBy } from './training/startedBy.schema.ts';
import { toPublicSetting } from './training/operatorSetting.schema.ts';
import type { PublicChoice, StoredChoice, StoredParameters, TrainingRecord, TrainingWarning } from './training/training.schema.ts';

/** Notification channel for the version that a running training will publish. */
export const upcomingVersionsChannel = 'recommender_coming_models';

/** A version that a running training will probably publish; its model file is already stored. */
interface UpcomingVersion {
  organizationId: string;
  modelId: string;
  blob: string;
}

export interface TrainingRow {
  jobId: string;
  modelId: string;
  parameters: StoredParameters;
  callbackUrl: string | null;
  metrics: Evaluation | null;
  choice: StoredChoice | null;
  data: DataSummary | null;
  servingVersion: number | null;
  warnings: TrainingWarning[];
  comparison: Comparison | null;
  schedule: StartedBy | null;
}

interface StoredTraining {
  job_id: string;
  model_id: string;
  parameters: StoredParameters;
  callback_url: string | null;
  metrics: Evaluation | null;
  choice: StoredChoice | null;
  data: DataSummary | null;
  serving_version: number | null;
  warnings: TrainingWarning[];
  comparison: Comparison | null;
  schedule: StartedBy | null;
}

const trainingColumns = `trainings.job_id, trainings.model_id, trainings.parameters, trainings.callback_url,
            trainings.metrics, trainings.choice, trainings.data, models.serving_version, trainings.warnings, trainings.comparison, trainings.schedule`;

export interface ServingModel {
  organizationId: string;
  modelId: string;
  version: number;
  blob: string;
  /** The data that the version was trained on. */
  trainedOn: TrainedOn;
}

/** What decides which events and uploads are newer than a version. */
export interface TrainedOn {
  /** The version contains the events up to this number, as far as its tags match. */
  eventsThrough: number;
  /** The version contains the uploaded batches up to this number, as far as its tags match; infinite for a version of an earlier release. */
  batchesThrough: number;
  /** The version uses data with any of these tags; all data if there are none. */
  dataTags: readonly string[];
  /** Maximum age of the interactions that the version uses, in ms; null for all. */
  maximumAgeMs: number | null;
  /** Weights of interaction types that the training request set. */
  weights: Readonly<Record<string, number>>;
  /** Filter of the data; null if there is none. */
  filter: TrainedFilter | null;
}

/** Records a requested training as the model's latest training. The model continues to serve its current version. */
export async function insertTraining(
  transaction: Connection,
  organizationId: string,
  training: Pick<TrainingRow, 'jobId' | 'modelId' | 'parameters' | 'callbackUrl' | 'warnings' | 'schedule'>,
): Promise<void> {
  await transaction.query(
    `INSERT INTO trainings (job_id, organization_id, model_id, parameters, callback_url, warnings, schedule)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      training.jobId, organizationId, training.modelId, JSON.stringify(training.parameters), training.callbackUrl, JSON.stringify(training.warnings),
      training.schedule === null ? null : JSON.stringify(training.schedule),
    ],
  );
  await transaction.query(
    `INSERT INTO models (organization_id, model_id, latest_training) VALUES ($1, $2, $3)
     ON CONFLICT (organization_id, model_id) DO UPDATE SET latest_training = excluded.latest_training`,
    [organizationId, training.modelId, training.jobId],
  );
}

/**
 * Finds a training with the version that its model currently serves; null if unknown.
 * @param jobId omitted for the model's latest training
 */
export async function findTraining(
  connection: Connection,
  organizationId: string,
  modelId: string,
  jobId: string | null = null,
): Promise<TrainingRow | null> {
  const result = await connection.query<StoredTraining>(
    `SELECT ${trainingColumns}
     FROM models
     JOIN trainings ON trainings.job_id = coalesce($3, models.latest_training)
     WHERE models.organization_id = $1 AND models.model_id = $2`,
    [organizationId, modelId, jobId],
  );
  const row = result.rows[0];
  return row === undefined ? null : toTraining(row);
}

/** Finds the trainings of these jobs, in any order. */
export async function listTrainings(connection: Connection, organizationId: string, jobIds: readonly string[]): Promise<TrainingRow[]> {
  const { rows } = await connection.query<StoredTraining>(
    `SELECT ${trainingColumns} FROM trainings JOIN models USING (organization_id, model_id)
     WHERE organization_id = $1 AND job_id = ANY($2)`,
    [organizationId, jobIds],
  );
  return rows.map(toTraining);
}

function toTraining(row: StoredTraining): TrainingRow {
  return {
    jobId: row.job_id,
    modelId: row.model_id,
    parameters: row.parameters,
    callbackUrl: row.callback_url,
    metrics: row.metrics,
    choice: row.choice,
    data: row.data,
    servingVersion: row.serving_version,
    warnings: row.warnings,
    comparison: row.comparison,
    schedule: row.schedule,
  };
}

/** Stores the summary of a training's data and the warnings about it, including for a training that fails later. */
export async function storeDataSummary(connection: Connection, jobId: string, data: DataSummary, warnings: readonly TrainingWarning[]): Promise<void> {
  // A repeated attempt replaces the warnings of the earlier attempt, but not those of the request.
  await connection.query(
    `UPDATE trainings SET data = $2, warnings = $3::jsonb || (
       SELECT coalesce(jsonb_agg(warning), '[]') FROM jsonb_array_elements(warnings) AS warning WHERE warning->>'code' = 'unmatched-tag')
     WHERE job_id = $1`,
    [jobId, JSON.stringify(data), JSON.stringify(warnings)],
  );
}

/** Stores that the data of a training contains the events and the batches up to these numbers. */
export async function storeMarks(connection: Connection, jobId: string, { eventsThrough, batchesThrough }: Pick<TrainedOn, 'eventsThrough' | 'batchesThrough'>): Promise<void> {
  await connection.query('UPDATE trainings SET events_through = $2, batches_through = $3 WHERE job_id = $1', [jobId, eventsThrough, batchesThrough]);
}

/** Stores the settings that were tried, and the chosen setting. */
export async function storeChoice(connection: Connection, jobId: string, choice: StoredChoice): Promise<void> {
  await connection.query('UPDATE trainings SET choice = $2 WHERE job_id = $1', [jobId, JSON.stringify(choice)]);
}

/** Announces the next version of a model to all servers, so that they can open its file before the version is published. */
export async function announceUpcoming(connection: Connection, upcoming: UpcomingVersion): Promise<void> {
  await connection.query('SELECT pg_notify($1, $2)', [upcomingVersionsChannel, JSON.stringify(upcoming)]);
}

/** Parses a notification. Returns null for the empty notification that follows a lost connection. */
export function parseUpcoming(text: string): UpcomingVersion | null {
  return text === '' ? null : (JSON.parse(text) as UpcomingVersion);
}

/**
 * Finds the version that answers queries of a model.
 * @returns null if the organization has no such model; 'not-ready' before the first completed training
 */
export async function findServing(
  connection: Connection,
  organizationId: string,
  modelId: string,
): Promise<ServingModel | 'not-ready' | null> {
  const result = await connection.query<{
    serving_version: number | null; serving_blob: string | null; events_through: string | null; batches_through: string | null; parameters: StoredParameters | null; filter: DataSummary['filter'] | null;
  }>(
    `SELECT serving_version, serving_blob, events_through, batches_through, trainings.parameters, trainings.data->'filter' AS filter
     FROM models LEFT JOIN trainings ON trainings.job_id = serving_training
     WHERE models.organization_id = $1 AND models.model_id = $2`,
    [organizationId, modelId],
  );
  const row = result.rows[0];
  if (row === undefined) return null;
  if (row.serving_version === null || row.serving_blob === null) return 'not-ready';
  const { parameters } = row;
  const age = parameters?.maximum_interaction_age_days ?? null;
  const trainedOn = {
    eventsThrough: Number(row.events_through ?? 0), batchesThrough: Number(row.batches_through ?? Infinity), dataTags: parameters?.data_tags ?? [],
    maximumAgeMs: age === null ? null : age * 86_400_000, weights: parameters?.weights ?? {},
    filter: parameters?.filter === undefined ? null : { text: parameters.filter, columns: row.filter?.columns ?? {} },
  };
  return { organizationId, modelId, version: row.serving_version, blob: row.serving_blob, trainedOn };
}

/** Id of the organization's most recently completed model, null if there is none. */
export async function findNewestModelId(connection: Connection, organizationId: string): Promise<string | null> {
  const result = await connection.query<{ model_id: string }>(
    `SELECT model_id FROM models WHERE organization_id = $1 AND served_since IS NOT NULL
     ORDER BY served_since DESC, model_id LIMIT 1`,
    [organizationId],
  );
  return result.rows[0]?.model_id ?? null;
}

/**
 * The public record of a training, from the training's row and its job.
 * @param publicUrl base URL of the error pages; a job stores only the pages' paths
 * @param now current time in ms since the Unix epoch
 */
export function toTrainingRecord(training: TrainingRow, job: Job, publicUrl: string, now: number): TrainingRecord {
  return {
    model_id: training.modelId,
    status: job.status,
    stage: job.stage,
    progress: job.progress,
    waiting: describeWaiting(job, now),
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    completed_at: job.completedAt?.toISOString() ?? null,
    error: job.error === null ? null : toPublicError(job.error, publicUrl),
    serving_version: training.servingVersion,
    metrics: toPublicMetrics(training.metrics, training.parameters),
    comparison: training.comparison,
    choice: training.choice === null ? null : toPublicChoice(training.choice),
    data: training.data,
    parameters: toPublicParameters(training.parameters),
    schedule: training.schedule,
    warnings: training.warnings,
  };
}

/** Metrics with the reason of their verdict. @param parameters of the training */
export function toPublicMetrics(metrics: Evaluation | null, parameters: TrainingRow['parameters'] | null): TrainingRecord['metrics'] {
  return metrics === null ? null : { ...metrics, verdict_reason: explainVerdict(metrics, parameters ?? {}) };
}

function toPublicChoice({ candidates, chosen, ...rest }: StoredChoice): PublicChoice {
  return {
    candidates: candidates.map(({ setting, ...results }) => ({ setting: toPublicSetting(setting), ...results })),
    chosen: toPublicSetting(chosen),
    ...rest,
  };
}

/** Parameters with the field names of requests. */
export function toPublicParameters({ setting, ...rest }: StoredParameters): TrainingRecord['parameters'] {
  return { setting: typeof setting === 'object' ? toPublicSetting(setting) : setting, ...rest };
}

function toPublicError(error: NonNullable<Job['error']>, publicUrl: string): NonNullable<TrainingRecord['error']> {
  const { status: _, type, ...rest } = error;
  return { type: publicUrl + type, ...rest };
}
