import type { Connection } from '@vouch/platform/database/database';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Platform } from '@vouch/platform/product/product';
import type { RecommenderSettings } from '../config/recommenderSettings.ts';
import { parsePart } from '../expressions/expressionProblem.ts';
import { findTraining, insertTraining, toTrainingRecord } from './modelStore.ts';
import { sparkFilterFault } from './spark/filterFault.ts';
import { trainingsOf, trainKind, type TrainInput } from './train.job.ts';
import { readSetting } from './training/operatorSetting.schema.ts';
import type { StartedBy } from './training/startedBy.schema.ts';
import type { StoredParameters, TrainOptions, TrainingRecord } from './training/training.schema.ts';
import { warnOfTags } from './warnOfTags.ts';

const defaultSeed = 1;

/** A training to be started. */
export interface NewTraining {
  organizationId: string;
  modelId: string;
  parameters: StoredParameters;
  callbackUrl: string | null;
  /** Null if a request starts the training. */
  schedule: StartedBy | null;
  /** Header `traceparent` of the request; null if none, or no request, starts the training. */
  traceparent: string | null;
}

/**
 * The parameters of a training in the form that its row and its job store.
 * @throws Problem invalid-expression if the filter is not valid whatever the columns are, or invalid-parameter for a filter if trainings run on Spark
 */
export function toStoredParameters(options: Omit<TrainOptions, 'callback_url'>, settings: Pick<RecommenderSettings, 'spark_submit'>): StoredParameters {
  const { parameters = {}, publish } = options;
  if (parameters.filter !== undefined) checkFilter(parameters.filter, settings);
  const setting = parameters.setting ?? 'auto';
  return {
    setting: typeof setting === 'object' ? readSetting(setting) : setting,
    ...(parameters.weights === undefined ? {} : { weights: parameters.weights }),
    ...(parameters.recency_half_life_days === undefined ? {} : { recency_half_life_days: parameters.recency_half_life_days }),
    ...(parameters.trending_half_life_days === undefined ? {} : { trending_half_life_days: parameters.trending_half_life_days }),
    ...(parameters.filter === undefined ? {} : { filter: parameters.filter }),
    seed: parameters.seed ?? defaultSeed,
    data_tags: options.data_tags ?? [],
    maximum_interaction_age_days: options.maximum_interaction_age_days ?? null,
    ...(publish === undefined ? {} : { publish }),
  };
}

function checkFilter(filter: string, { spark_submit: spark }: Pick<RecommenderSettings, 'spark_submit'>): void {
  const location = '/parameters/filter';
  parsePart('filter', filter, location);
  if (spark === undefined) return;
  throw platformErrors.problem('invalid-parameter', sparkFilterFault, { errors: [{ location, detail: sparkFilterFault, value: filter }] });
}

/**
 * Refuses the id of an experiment as the id of a model to train.
 * @param location of the id in the request
 * @throws Problem invalid-parameter
 */
export async function refuseExperimentId(connection: Connection, organizationId: string, modelId: string, location: string): Promise<void> {
  const { rows } = await connection.query('SELECT 1 FROM experiments WHERE organization_id = $1 AND experiment_id = $2', [organizationId, modelId]);
  if (rows.length === 0) return;
  const detail = `${JSON.stringify(modelId)} is the id of an experiment, so requests with this model_id could mean both. Choose another id for the model, or delete the experiment.`;
  throw platformErrors.problem('invalid-parameter', detail, { errors: [{ location, detail, value: modelId }] });
}

/** Records a training and its job in the caller's transaction. @returns the record of the training */
export async function startTraining(platform: Pick<Platform, 'clock' | 'jobs' | 'publicUrl'>, transaction: Connection, training: NewTraining): Promise<TrainingRecord> {
  const { organizationId, modelId, parameters, callbackUrl, schedule, traceparent } = training;
  await refuseExperimentId(transaction, organizationId, modelId, '/model_id');
  const input: TrainInput = { modelId, parameters };
  const job = await platform.jobs.enqueue(transaction, {
    organizationId,
    kind: trainKind,
    subject: modelId,
    input,
    serialKey: trainingsOf(organizationId, modelId),
    traceparent,
  });
  const warnings = await warnOfTags(transaction, organizationId, parameters.data_tags);
  await insertTraining(transaction, organizationId, { jobId: job.id, modelId, parameters, callbackUrl, warnings, schedule });
  const started = await findTraining(transaction, organizationId, modelId, job.id);
  if (started === null) throw new Error(`training ${job.id} has no row`);
  return toTrainingRecord(started, job, platform.publicUrl, platform.clock.now());
}
