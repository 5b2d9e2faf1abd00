import type { Connection } from '@vouch/platform/database/database';
import type { ProblemRecord } from '@vouch/platform/errors/problem';
import type { Finding } from '@vouch/platform/product/findings';
import type { DoctorCheck } from '@vouch/platform/product/product';
import { recommenderFindings } from '../errors/recommenderFindings.ts';

/** Upper bound for the models named; an installation can have many. */
const modelsNamed = 20;

/** Reports the models whose last ended training failed. A cancelled training does not count, because somebody stopped it. */
export function trainingsCheck({ database }: { database: Connection }): DoctorCheck {
  return { name: 'trainings', run: () => checkTrainings(database) };
}

interface FailedTraining {
  organization_id: string;
  model_id: string;
  serving_version: number | null;
  completed_at: Date;
  error: ProblemRecord;
}

async function checkTrainings(database: Connection): Promise<Finding[]> {
  const { rows } = await database.query<{ there: boolean }>(`SELECT to_regclass('models') IS NOT NULL AND to_regclass('jobs') IS NOT NULL AS there`);
  if (rows[0]?.there !== true) return [{ status: 'ok', detail: 'no model was trained yet' }];
  const failed = await listFailed(database);
  if (failed.length === 0) return [{ status: 'ok', detail: 'the last training of every model completed' }];
  return failed.map(toFinding);
}

/** The models whose last ended training failed, the newest failures first. */
async function listFailed(database: Connection): Promise<FailedTraining[]> {
  const { rows } = await database.query<FailedTraining>(
    `SELECT models.organization_id, models.model_id, models.serving_version, ended.completed_at, ended.error
     FROM models CROSS JOIN LATERAL (
       SELECT jobs.status, jobs.completed_at, jobs.error FROM trainings JOIN jobs ON jobs.id = trainings.job_id
       WHERE trainings.organization_id = models.organization_id AND trainings.model_id = models.model_id AND jobs.status IN ('completed', 'error')
       ORDER BY jobs.completed_at DESC LIMIT 1) AS ended
     WHERE ended.status = 'error' ORDER BY ended.completed_at DESC LIMIT $1`, [modelsNamed]);
  return rows;
}

function toFinding({ organization_id: organization, model_id: model, serving_version: version, completed_at: at, error }: FailedTraining): Finding {
  const serves = version === null ? 'the model has no version that answers queries' : `version ${version} answers queries`;
  return recommenderFindings.found(
    'last-training-failed', `the last training of the model ${model} of the organization ${organization} failed at ${at.toISOString()}; ${serves}. ${error.detail} (${error.code})`,
    `Follow the message and docs/errors/${error.code}.md, then train the model again: POST /v1/recommender/train with model_id ${model}.`,
  );
}
