import type { Connection } from '@vouch/platform/database/database';
import type { Job, JobContext, JobKind } from '@vouch/platform/jobs/job';
import type { Platform } from '@vouch/platform/product/product';
import type { RecommenderSettings } from '../config/recommenderSettings.ts';
import type { DataSummary } from './arrays/trainingSnapshot.ts';
import { announceUpcoming, findTraining, publishModel, storeChoice, storeDataSummary, toTrainingRecord } from './modelStore.ts';
import { refuseUseless } from './refuseUseless.ts';
import { SparkStages, type PreparedBlobs } from './spark/sparkStages.ts';
import { takeSnapshot } from './takeSnapshot.ts';
import { operatorSetting } from './training/operatorSetting.ts';
import { noResults, TrainingAttempt, type Snapshot, type StageResults } from './training/trainingAttempt.ts';
import { trainingFailure } from './training/trainingFailure.ts';
import { refuseTooLarge, trainingMemoryMb } from './training/trainingMemory.ts';
import { jobStages } from './training/trainingStages.ts';
import type { StoredParameters } from './training/training.schema.ts';

export const trainKind = 'recommender.train';

/** Serial key of a model's trainings: jobs with the same key run one after the other. */
export function trainingsOf(organizationId: string, modelId: string): string {
  return `${organizationId}/${modelId}`;
}

/** Input of a training job; the training's database row contains the other parameters. */
export interface TrainInput {
  modelId: string;
  parameters: StoredParameters;
}

/** The job that trains one model: from a snapshot of batches to the version that answers queries. */
export function trainJob(platform: Platform, settings: RecommenderSettings): JobKind {
  return {
    name: trainKind,
    stages: jobStages(settings.spark_submit !== undefined),
    concurrency: settings.training_concurrency,
    maxAttempts: 3,
    run: (context) => runTraining(platform, settings, context),
    ended: (transaction, job) => announce(platform, transaction, job),
  };
}

async function runTraining(
  platform: Platform,
  settings: RecommenderSettings,
  context: JobContext,
): Promise<(transaction: Connection, completed: Job) => Promise<void>> {
  const { job } = context;
  const { modelId, parameters } = job.input as TrainInput;
  const snapshot = await context.stage('snapshot', () => takeSnapshot(platform, job, parameters));
  const spark = settings.spark_submit === undefined ? null : new SparkStages(settings.spark_submit, platform, context);
  const attempt = new TrainingAttempt({ platform, settings, context, parameters, snapshot, spark });
  const run: Run = { platform, settings, context, parameters, snapshot, spark, attempt };
  try {
    const { data, ...arrays } = await makeArrays(run);
    const factors = await makeFactors(run, arrays);
    const blob = await makeModel(run, factors);
    // The evaluation takes a third of the training. Meanwhile, servers open the new version, so that queries do not wait for
    // the file.
    await announceUpcoming(platform.database, { organizationId: job.organizationId, modelId, blob });
    const results = { ...factors, finished: { ...factors.finished, neighbours: blob } };
    const metrics = await context.stage('evaluate', async () => (await attempt.result('evaluate', results)).evaluation);
    // The stage does nothing, because the transaction that completes the job publishes the model.
    await context.stage('write', async () => null);
    return async (transaction, completed) => {
      await publishModel(transaction, job.organizationId, { jobId: job.id, modelId, blob, metrics, data });
      await announce(platform, transaction, completed);
    };
  } catch (error) {
    const failure = trainingFailure(error, trainingMemoryMb(settings));
    if (failure !== error) platform.log.error({ err: error, job_id: job.id }, 'a training process failed');
    throw failure;
  } finally {
    await attempt.stop();
  }
}

/** Values shared by the stages of one training. */
interface Run {
  platform: Platform;
  settings: RecommenderSettings;
  context: JobContext;
  parameters: StoredParameters;
  snapshot: Snapshot;
  spark: SparkStages | null;
  attempt: TrainingAttempt;
}

/**
 * Numbers the nodes and sorts the pairs of the snapshot.
 * @throws Problem if the data is unusable or too large
 */
async function makeArrays({ platform, settings, context, parameters, snapshot, spark, attempt }: Run): Promise<StageResults & { data: DataSummary }> {
  const prepared = spark === null ? null : await context.stage('spark-snapshot', () => spark.prepare(snapshot.files, snapshot.cutoffMs));
  const results = { ...noResults, prepared };
  const { blob, summary } = await context.stage('arrays', async () => {
    const { file, summary, neededBytes } = await attempt.result('arrays', results);
    await storeDataSummary(platform.database, context.job.id, summary);
    refuseUseless(summary, parameters);
    refuseTooLarge(neededBytes, trainingMemoryMb(settings));
    return { blob: await attempt.keep('arrays', file), summary };
  });
  return { ...results, finished: { arrays: blob }, data: summary };
}

/** Chooses the setting unless the request fixes it, computes the factors, and computes the candidates if Spark is used. */
async function makeFactors({ platform, context, parameters, spark, attempt }: Run, arrays: StageResults): Promise<StageResults> {
  const { blob, choice } = await context.stage('factors', async () => {
    const { file, choice } = await attempt.result('factors', arrays);
    if (choice !== null) await storeChoice(platform.database, context.job.id, choice);
    return { blob: await attempt.keep('factors', file), choice };
  });
  const results = { ...arrays, finished: { ...arrays.finished, factors: blob }, choice };
  if (spark === null) return results;
  // Spark may need the memory of the training process.
  await attempt.stop();
  const setting = operatorSetting(parameters.setting, choice);
  const candidates = await context.stage('spark-candidates', () => spark.candidates(results.prepared as PreparedBlobs, setting));
  return { ...results, candidates };
}

/**
 * Computes all lists and writes the model file.
 * @returns name of the model file's blob
 */
async function makeModel({ context, attempt }: Run, factors: StageResults): Promise<string> {
  const { blob } = await context.stage('neighbours', async () => {
    const { file } = await attempt.result('neighbours', factors);
    return { blob: await attempt.keep('neighbours', file) };
  });
  return blob;
}

async function announce(platform: Platform, transaction: Connection, job: Job): Promise<void> {
  const { modelId } = job.input as TrainInput;
  const training = await findTraining(transaction, job.organizationId, modelId, job.id);
  if (training === null || training.callbackUrl === null) return;
  await platform.webhooks.enqueue(transaction, {
    organizationId: job.organizationId,
    url: training.callbackUrl,
    type: `model.training.${job.status}`,
    data: toTrainingRecord(training, job, platform.publicUrl, platform.clock.now()),
  });
}
