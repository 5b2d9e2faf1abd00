import type { Connection } from '@vouch/platform/database/database';
import type { Job, JobContext, JobKind } from '@vouch/platform/jobs/job';
import type { Platform } from '@vouch/platform/product/product';
import { snapshotBatches } from '../batches/batchStore.ts';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import type { RecommenderSettings } from '../config/recommenderSettings.ts';
import type { DataSummary } from './arrays/trainingSnapshot.ts';
import { announceComing, findTraining, publishModel, storeChoice, storeDataSummary, type SettingChoice, toTrainingRecord } from './modelStore.ts';
import type { StoredParameters } from './training/training.schema.ts';
import { operatorSetting } from './training/operatorSetting.ts';
import { SparkStages, type PreparedBlobs } from './spark/sparkStages.ts';
import { trainingFailure } from './training/trainingFailure.ts';
import { refuseTooLarge, trainingMemoryMb } from './training/trainingMemory.ts';
import { TrainingProcess } from './training/trainingProcess.ts';
import type { SparkTask, StageFile, TrainingMessage, TrainingStage } from './training/trainingTask.ts';

export const trainKind = 'recommender.train';

/** What the trainings of one model have in common, so that they run one after the other. */
export function trainingsOf(organizationId: string, modelId: string): string {
  return `${organizationId}/${modelId}`;
}

/** What a training job is given; the rest stands in its training row. */
export interface TrainInput {
  modelId: string;
  parameters: StoredParameters;
}

interface Snapshot {
  files: { blob: string; kind: 'entity' | 'interaction'; sequence: number }[];
  cutoffMs: number | null;
}

const dayMs = 86_400_000;

const stages = [
  { name: 'snapshot', share: 0.01 },
  { name: 'arrays', share: 0.12 },
  { name: 'factors', share: 0.25 },
  { name: 'neighbours', share: 0.25 },
  { name: 'evaluate', share: 0.35 },
  { name: 'write', share: 0.02 },
];

const stagesWithSpark = [
  { name: 'snapshot', share: 0.01 },
  { name: 'spark-snapshot', share: 0.15 },
  { name: 'arrays', share: 0.07 },
  { name: 'factors', share: 0.2 },
  { name: 'spark-candidates', share: 0.2 },
  { name: 'neighbours', share: 0.15 },
  { name: 'evaluate', share: 0.2 },
  { name: 'write', share: 0.02 },
];

/** The job that trains one model: from a snapshot of batches to the version that answers queries. */
export function trainJob(platform: Platform, settings: RecommenderSettings): JobKind {
  return {
    name: trainKind,
    stages: settings.spark_submit === undefined ? stages : stagesWithSpark,
    concurrency: settings.training_concurrency,
    maximumAttempts: 3,
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
  const input = job.input as TrainInput;
  const snapshot = await context.stage('snapshot', () => takeSnapshot(platform, job, input.parameters));
  const training = new LazyTraining(platform, settings, context, input, snapshot);
  const { spark } = training;
  try {
    if (spark !== null) training.prepared = await context.stage('spark-snapshot', () => spark.prepare(snapshot.files, snapshot.cutoffMs));
    const arrays = await context.stage('arrays', async () => {
      const { file, summary, neededBytes } = await training.result('arrays');
      await storeDataSummary(platform.database, job.id, summary);
      refuseUseless(summary, input.parameters);
      refuseTooLarge(neededBytes, trainingMemoryMb(settings));
      return { blob: await training.keep('arrays', file), summary };
    });
    training.finished.arrays = arrays.blob;
    const factors = await context.stage('factors', async () => {
      const { file, choice } = await training.result('factors');
      if (choice !== null) await storeChoice(platform.database, job.id, choice);
      return { blob: await training.keep('factors', file), choice };
    });
    training.finished.factors = factors.blob;
    training.choice = factors.choice;
    if (spark !== null) {
      // Meanwhile nobody needs its memory.
      await training.stop();
      const setting = operatorSetting(input.parameters.setting, factors.choice);
      training.candidates = await context.stage('spark-candidates', () => spark.candidates(training.prepared as PreparedBlobs, setting));
    }
    const neighbours = await context.stage('neighbours', async () => {
      const { file } = await training.result('neighbours');
      return { blob: await training.keep('neighbours', file) };
    });
    training.finished.neighbours = neighbours.blob;
    // The evaluation that follows takes a third of the training: time to open what will answer after it.
    await announceComing(platform.database, { organizationId: job.organizationId, modelId: input.modelId, blob: neighbours.blob });
    const metrics = await context.stage('evaluate', async () => {
      const { evaluation } = await training.result('evaluate');
      return evaluation;
    });
    // What is left is the transaction that completes the job.
    await context.stage('write', async () => null);
    return async (transaction, completed) => {
      await publishModel(transaction, job.organizationId, {
        jobId: job.id,
        modelId: input.modelId,
        blob: neighbours.blob,
        metrics,
        data: arrays.summary,
      });
      await announce(platform, transaction, completed);
    };
  } catch (error) {
    const failure = trainingFailure(error, trainingMemoryMb(settings));
    if (failure !== error) platform.log.error({ err: error, job_id: job.id }, 'a training process failed');
    throw failure;
  } finally {
    await training.stop();
  }
}

/** Starts the training process only where a stage is not finished yet, with the files of those that are. */
class LazyTraining {
  /** Blobs of finished stages. */
  readonly finished: { arrays?: string; factors?: string; neighbours?: string } = {};
  /** What was chosen together with the factors. */
  choice: SettingChoice | null = null;
  /** Where Spark takes part, and the blobs that it gave. */
  readonly spark: SparkStages | null;
  prepared: PreparedBlobs | null = null;
  candidates: string[] | null = null;
  readonly #platform: Platform;
  readonly #settings: RecommenderSettings;
  readonly #context: JobContext;
  readonly #input: TrainInput;
  readonly #snapshot: Snapshot;
  #process: TrainingProcess | null = null;
  #awaited: TrainingStage = 'arrays';

  constructor(
    platform: Platform,
    settings: RecommenderSettings,
    context: JobContext,
    input: TrainInput,
    snapshot: Snapshot,
  ) {
    this.#platform = platform;
    this.#settings = settings;
    this.#context = context;
    this.#input = input;
    this.#snapshot = snapshot;
    this.spark = settings.spark_submit === undefined ? null : new SparkStages(settings.spark_submit, platform, context);
  }

  /** What a stage gave, when the process has finished it. */
  async result<Stage extends TrainingStage>(stage: Stage): Promise<Extract<TrainingMessage, { kind: Stage }>> {
    this.#awaited = stage;
    this.#process ??= await this.#start();
    return this.#process.result(stage);
  }

  /** Stores the file of a finished stage, so that another worker can carry on from it. */
  async keep(stage: TrainingStage, { path, ...blob }: StageFile): Promise<string> {
    const { name } = await this.#platform.blobs.adoptFile(path, blob);
    this.#platform.log.debug({ job_id: this.#context.job.id, stage, blob: name }, 'training stage stored');
    return name;
  }

  async stop(): Promise<void> {
    await this.#process?.stopped();
    this.#process = null;
  }

  async #start(): Promise<TrainingProcess> {
    const { blobs, timers } = this.#platform;
    const finished: { arrays?: string; factors?: string; neighbours?: string } = {};
    for (const stage of ['arrays', 'factors', 'neighbours'] as const) {
      const blob = this.finished[stage];
      if (blob !== undefined) finished[stage] = await blobs.localPath(blob);
    }
    const files = [];
    if (finished.arrays === undefined && this.spark === null) {
      for (const { blob, kind, sequence } of this.#snapshot.files) {
        files.push({ path: await blobs.localPath(blob), kind, sequence });
      }
    }
    const memoryMb = trainingMemoryMb(this.#settings);
    const started = new TrainingProcess({
      task: {
        files,
        cutoffMs: this.#snapshot.cutoffMs,
        setting: this.#input.parameters.setting,
        choice: this.choice,
        seed: this.#input.parameters.seed,
        folder: this.#context.scratch,
        duckDbMemory: `${Math.max(256, Math.floor(memoryMb / 4))}MB`,
        batches: this.#snapshot.files.length,
        spark: await this.#sparkTask(finished.arrays !== undefined),
        finished,
      },
      memoryBytes: memoryMb * 2 ** 20,
      niceness: this.#settings.train_niceness,
      signal: this.#context.signal,
      timers,
      progress: (stage, fraction) => {
        // The process may be a stage ahead while the file of this one is being stored.
        if (stage === this.#awaited) this.#context.progress(fraction);
      },
    });
    if (started.processId !== null) this.#context.watch(started.processId);
    return started;
  }

  async #sparkTask(hasArrays: boolean): Promise<SparkTask | null> {
    const { spark, prepared, candidates } = this;
    if (spark === null || prepared === null) return null;
    return {
      prepared: hasArrays ? null : await spark.localFiles(prepared),
      candidates: candidates === null ? null : await spark.localPaths(candidates),
    };
  }
}

async function takeSnapshot(platform: Platform, job: Job, parameters: StoredParameters): Promise<Snapshot> {
  const batches = await snapshotBatches(platform.database, job.organizationId, parameters.data_tags);
  if (batches.length === 0) throw nothingUploaded(parameters.data_tags);
  const age = parameters.maximum_interaction_age_days;
  return {
    files: batches.map(({ blob, kind, sequence }) => ({ blob, kind, sequence })),
    cutoffMs: age === null ? null : platform.clock.now() - age * dayMs,
  };
}

function nothingUploaded(tags: readonly string[]): Error {
  return recommenderErrors.problem(
    'no-usable-data',
    tags.length === 0
      ? 'There is no data to train on: no batch has been uploaded. Upload CSV files with POST /v1/recommender/data_batch first.'
      : `There is no data to train on: no batch has any of the tags ${tags.map((tag) => JSON.stringify(tag)).join(', ')}. ` +
          'GET /v1/recommender/data_batch lists the batches and their tags.',
  );
}

/** 60,000 types of one item each kept a training at its lists for minutes without an end: every item has one per type. */
const maximumTypes = 1_000;

/** Ends a training that would leave out everything the user meant it to learn from, or take a column for types that is none. */
function refuseUseless(summary: DataSummary, parameters: StoredParameters): void {
  const { interactions, entities } = summary;
  if (entities.types > maximumTypes) {
    throw recommenderErrors.problem(
      'too-many-types',
      `The ${entities.distinct} entities have ${entities.types} different types; a model has at most ${maximumTypes}. ` +
        'Check what was uploaded as type, and put finer distinctions into metadata.',
    );
  }
  if (interactions.used === 0 && interactions.ignored.too_old > 0) {
    throw recommenderErrors.problem(
      'no-usable-data',
      `None of the ${interactions.rows} interactions is young enough: maximum_interaction_age_days is ` +
        `${parameters.maximum_interaction_age_days}, and the newest timestamp is ${interactions.newest_timestamp}. ` +
        'Raise maximum_interaction_age_days, leave it out, or upload newer interactions.',
    );
  }
  if (interactions.used === 0 && entities.distinct === 0) {
    throw recommenderErrors.problem(
      'no-usable-data',
      `None of the ${interactions.rows} interactions can be used: each one names the same id as source and target. ` +
        'Upload interactions between different ids, or entities with metadata.',
    );
  }
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
