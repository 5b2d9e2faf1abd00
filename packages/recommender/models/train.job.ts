import type { Connection } from '@vouch/platform/database/database';
import type { Job, JobContext, JobKind } from '@vouch/platform/jobs/job';
import type { Platform } from '@vouch/platform/product/product';
import type { RecommenderSettings } from '../config/recommenderSettings.ts';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import type { DataSummary } from './arrays/trainingSnapshot.ts';
import { announceUpcoming, findTraining, storeChoice, storeDataSummary, toTrainingRecord } from './modelStore.ts';
import { refuseUseless } from './refuseUseless.ts';
import { sparkFilterFault } from './spark/filterFault.ts';
import { SparkStages, type PreparedBlobs } from './spark/sparkStages.ts';
import { takeSnapshot } from './takeSnapshot.ts';
import { operatorSetting } from './training/operatorSetting.ts';
import { noResults, TrainingAttempt, type Snapshot, type StageResults } from './training/trainingAttempt.ts';
import { trainingFailure } from './training/trainingFailure.ts';
import { MemoryBudget } from './training/memoryBudget.ts';
import { refuseTooLarge, sharedMemoryMb, trainingMemoryMb, trainingSlots } from './training/trainingMemory.ts';
import { warnOfData } from './warnOfData.ts';
import { jobStages } from './training/trainingStages.ts';
import type { StoredParameters } from './training/training.schema.ts';
import { publishVersion } from './versions/publishVersion.ts';

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

/**
 * The job that trains one model: from a snapshot of batches to the version that answers queries.
 * @param memory shared by all trainings of this worker process
 */
export function trainJob(platform: Platform, settings: RecommenderSettings, memory = new MemoryBudget(sharedMemoryMb(settings))): JobKind {
  return {
    name: trainKind,
    stages: jobStages(settings.spark_submit !== undefined),
    concurrency: trainingSlots(settings),
    maxAttempts: 3,
    run: (context) => runTraining(platform, settings, context, memory),
    ended: (transaction, job) => announce(platform, transaction, job),
  };
}

async function runTraining(
  platform: Platform,
  settings: RecommenderSettings,
  context: JobContext,
  memory: MemoryBudget,
): Promise<(transaction: Connection, completed: Job) => Promise<void>> {
  const { job } = context;
  const { modelId, parameters } = job.input as TrainInput;
  // The routes refuse this too; here, VOUCH_SPARK_SUBMIT was set after the request.
  if (parameters.filter !== undefined && settings.spark_submit !== undefined) throw recommenderErrors.problem('training-failed', sparkFilterFault);
  const snapshot = await context.stage('snapshot', () => takeSnapshot(platform, context, parameters));
  const spark = settings.spark_submit === undefined ? null : new SparkStages(settings.spark_submit, platform, context);
  const attempt = new TrainingAttempt({ platform, settings, context, parameters, snapshot, spark });
  const run: Run = { platform, settings, context, parameters, snapshot, spark, attempt };
  let release = (): void => {};
  try {
    const { data, neededMb, ...arrays } = await makeArrays(run);
    release = await reserveMemory(run, memory, neededMb);
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
      await publishVersion(transaction, job.organizationId, { jobId: job.id, modelId, blob, parameters, metrics, data }, settings.kept_versions);
      await announce(platform, transaction, completed);
    };
  } catch (error) {
    const failure = trainingFailure(error, trainingMemoryMb(settings));
    if (failure !== error) platform.log.error({ err: error, job_id: job.id }, 'a training process failed');
    throw failure;
  } finally {
    await attempt.stop();
    release();
  }
}

/**
 * Reserves the memory for the stages after the arrays. If other trainings hold the memory, the training process ends, so that this training needs
 * no memory while it waits.
 */
async function reserveMemory({ platform, context, attempt }: Run, memory: MemoryBudget, neededMb: number): Promise<() => void> {
  if (!memory.hasRoom(neededMb)) {
    platform.log.info({ job_id: context.job.id, needed_mb: neededMb }, 'a training waits for the memory of other trainings');
    await attempt.stop();
  }
  return memory.reserve(neededMb, context.signal);
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

/** Stored result of the stage `arrays`. */
interface ArraysResult {
  blob: string;
  summary: DataSummary;
  /** Memory for the later stages. Missing in results that an earlier version stored. */
  neededMb?: number;
}

/**
 * Numbers the nodes and sorts the pairs of the snapshot.
 * @throws Problem if the data is unusable or too large
 */
async function makeArrays(
  { platform, settings, context, parameters, snapshot, spark, attempt }: Run,
): Promise<StageResults & { data: DataSummary; neededMb: number }> {
  const prepared = spark === null ? null : await context.stage('spark-snapshot', () => spark.prepare(snapshot.files, snapshot.cutoffMs, parameters.weights ?? {}));
  const results = { ...noResults, prepared };
  const { blob, summary, neededMb = trainingMemoryMb(settings) } = await context.stage('arrays', async () => {
    const { file, summary, neededBytes } = await attempt.result('arrays', results);
    await storeDataSummary(platform.database, context.job.id, summary, warnOfData(summary, parameters));
    refuseUseless(summary, parameters);
    refuseTooLarge(neededBytes, trainingMemoryMb(settings));
    const stored: ArraysResult = { blob: await attempt.keep('arrays', file), summary, neededMb: Math.ceil(neededBytes / 2 ** 20) };
    return stored;
  });
  return { ...results, finished: { arrays: blob }, data: summary, neededMb };
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
    traceparent: job.traceparent,
    type: `model.training.${job.status}`,
    data: toTrainingRecord(training, job, platform.publicUrl, platform.clock.now()),
  });
}
