import type { Platform } from '@vouch/platform/product/product';
import type { Evaluation } from '../../engine/data/trainedModel.ts';
import { listTrainings, toPublicMetrics, toTrainingRecord, type TrainingRow } from '../modelStore.ts';
import type { TrainingRecord } from '../training/training.schema.ts';
import type { ModelRecord } from './modelList.schema.ts';

/** One page of a list; `next` is the position of the next page, null on the last page. */
export interface Page<Record> {
  records: Record[];
  next: number | null;
}

interface Window {
  limit: number;
  /** `next` of the previous page; null for the first page. */
  before: number | null;
}

/** Returns the models of an organization; the model with the newest training first. */
export async function loadModels(platform: Platform, organizationId: string, { limit, before }: Window): Promise<Page<ModelRecord>> {
  const { rows } = await platform.database.query<{
    number: string; model_id: string; latest_training: string; serving_version: number | null; served_since: Date | null; metrics: Evaluation | null;
    parameters: TrainingRow['parameters'] | null;
  }>(
    `SELECT jobs.number, models.model_id, models.latest_training, models.serving_version, models.served_since, serving.metrics, serving.parameters
     FROM models JOIN jobs ON jobs.id = models.latest_training LEFT JOIN trainings AS serving ON serving.job_id = models.serving_training
     WHERE models.organization_id = $1 AND ($2::bigint IS NULL OR jobs.number < $2)
     ORDER BY jobs.number DESC LIMIT $3`,
    [organizationId, before, limit + 1]);
  const shown = rows.slice(0, limit);
  const trainings = await loadTrainingRecords(platform, organizationId, shown.map((row) => row.latest_training));
  const records = shown.flatMap((row) => {
    const training = trainings.get(row.latest_training);
    if (training === undefined) return [];
    return [{ model_id: row.model_id, serving_version: row.serving_version, served_since: row.served_since?.toISOString() ?? null, metrics: toPublicMetrics(row.metrics, row.parameters), training }];
  });
  return { records, next: nextOf(rows, limit) };
}

/** Returns the trainings of a model, the newest first; null if the organization has no such model. */
export async function loadTrainings(platform: Platform, organizationId: string, modelId: string, { limit, before }: Window): Promise<Page<TrainingRecord> | null> {
  const known = await platform.database.query('SELECT 1 FROM models WHERE organization_id = $1 AND model_id = $2', [organizationId, modelId]);
  if (known.rowCount === 0) return null;
  const { rows } = await platform.database.query<{ number: string; job_id: string }>(
    `SELECT jobs.number, trainings.job_id FROM trainings JOIN jobs ON jobs.id = trainings.job_id
     WHERE trainings.organization_id = $1 AND trainings.model_id = $2 AND ($3::bigint IS NULL OR jobs.number < $3)
     ORDER BY jobs.number DESC LIMIT $4`,
    [organizationId, modelId, before, limit + 1]);
  const ids = rows.slice(0, limit).map((row) => row.job_id);
  const records = await loadTrainingRecords(platform, organizationId, ids);
  return { records: ids.flatMap((id) => records.get(id) ?? []), next: nextOf(rows, limit) };
}

/** Reads the rows after the jobs: the transaction that ends a job also writes its results, so an ended training has its metrics. */
async function loadTrainingRecords(platform: Platform, organizationId: string, ids: readonly string[]): Promise<Map<string, TrainingRecord>> {
  const jobs = await platform.jobs.getAll(organizationId, ids);
  const trainings = await listTrainings(platform.database, organizationId, ids);
  const now = platform.clock.now();
  return new Map(trainings.flatMap((training) => {
    const job = jobs.get(training.jobId);
    return job === undefined ? [] : [[job.id, toTrainingRecord(training, job, platform.publicUrl, now)]];
  }));
}

function nextOf(rows: readonly { number: string }[], limit: number): number | null {
  return rows.length > limit ? Number(rows[limit - 1]?.number) : null;
}
