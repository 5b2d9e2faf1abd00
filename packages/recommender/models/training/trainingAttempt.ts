import type { Blobs } from '@vouch/platform/blobs/blobs';
import type { JobContext } from '@vouch/platform/jobs/job';
import type { Platform } from '@vouch/platform/product/product';
import type { RecommenderSettings } from '../../config/recommenderSettings.ts';
import type { SnapshotFile } from '../arrays/trainingSnapshot.ts';
import type { PreparedBlobs, SparkStages } from '../spark/sparkStages.ts';
import type { StoredChoice, StoredParameters } from './training.schema.ts';
import { sharedMemoryMb, trainingMemoryMb, trainingSlots } from './trainingMemory.ts';
import { TrainingProcess } from './trainingProcess.ts';
import { fileStages, type FinishedFiles, type TrainingStage } from './trainingStages.ts';
import type { SparkTask, StageFile, TrainingMessage } from './trainingTask.ts';

/** Batches of a training by their blob names; interactions before `cutoffMs` are ignored, and times after `latestMs` replaced. */
export interface Snapshot {
  files: (Omit<SnapshotFile, 'path'> & { blob: string })[];
  cutoffMs: number | null;
  /** Missing in a snapshot of an earlier version. */
  latestMs?: number;
}

/** Results of the stages that this attempt or an earlier attempt has finished. */
export interface StageResults {
  /** Blob names of the finished stages. */
  readonly finished: FinishedFiles;
  /** The choice made together with the factors. */
  readonly choice: StoredChoice | null;
  /** Blob names of the Spark stages' results. */
  readonly prepared: PreparedBlobs | null;
  readonly candidates: readonly string[] | null;
}

export const noResults: StageResults = { finished: {}, choice: null, prepared: null, candidates: null };

interface TrainingAttemptOptions {
  platform: Platform;
  settings: RecommenderSettings;
  context: JobContext;
  parameters: StoredParameters;
  snapshot: Snapshot;
  /** Null if Spark is not used. */
  spark: SparkStages | null;
}

/**
 * One attempt of a training. The training process starts with the first unfinished stage and reads the files of the earlier
 * stages.
 */
export class TrainingAttempt {
  private readonly options: TrainingAttemptOptions;
  private process: TrainingProcess | null = null;
  private awaited: TrainingStage = 'arrays';

  constructor(options: TrainingAttemptOptions) {
    this.options = options;
  }

  /**
   * Waits until the training process has finished a stage; starts the process if none is running.
   * @param earlier results that a new process starts with; a running process already has them
   * @throws ChildFailed if the process ends before the stage is finished
   */
  async result<Stage extends TrainingStage>(stage: Stage, earlier: StageResults): Promise<Extract<TrainingMessage, { kind: Stage }>> {
    this.awaited = stage;
    this.process ??= await this.start(earlier);
    return this.process.result(stage);
  }

  /**
   * Stores the file of a finished stage, so that another worker can continue after this stage.
   * @returns name of the blob
   */
  async keep(stage: TrainingStage, { path, ...blob }: StageFile): Promise<string> {
    const { platform, context } = this.options;
    const { name } = await platform.blobs.adoptFile(path, blob);
    platform.log.debug({ job_id: context.job.id, stage, blob: name }, 'training stage stored');
    return name;
  }

  /** Ends the process; the next stage starts a new process. */
  async stop(): Promise<void> {
    await this.process?.stopped();
    this.process = null;
  }

  private async start(earlier: StageResults): Promise<TrainingProcess> {
    const { platform: { blobs, timers }, settings, context, parameters, snapshot, spark } = this.options;
    const finished = await localFiles(blobs, earlier.finished);
    const readsBatches = finished.arrays === undefined && spark === null;
    const memoryMb = trainingMemoryMb(settings);
    const started = new TrainingProcess({
      task: {
        files: readsBatches ? await localBatches(blobs, snapshot) : [],
        cutoffMs: snapshot.cutoffMs,
        latestMs: snapshot.latestMs ?? null,
        setting: parameters.setting,
        weights: parameters.weights ?? {},
        filter: parameters.filter ?? null,
        recencyHalfLifeDays: parameters.recency_half_life_days ?? null,
        trendingHalfLifeDays: parameters.trending_half_life_days ?? null,
        choice: earlier.choice,
        seed: parameters.seed,
        folder: context.scratch,
        duckDbMemory: `${Math.max(256, Math.floor(sharedMemoryMb(settings) / trainingSlots(settings) / 4))}MB`,
        batches: snapshot.files.length,
        spark: spark === null ? null : await sparkTask(spark, earlier),
        finished,
      },
      memoryBytes: memoryMb * 2 ** 20,
      niceness: settings.train_niceness,
      signal: context.signal,
      timers,
      progress: (stage, fraction) => {
        // The process can be a stage ahead while the file of the awaited stage is being stored.
        if (stage === this.awaited) context.progress(fraction);
      },
    });
    if (started.processId !== null) context.watch(started.processId);
    return started;
  }
}

async function localFiles(blobs: Blobs, finished: FinishedFiles): Promise<FinishedFiles> {
  const local: FinishedFiles = {};
  for (const stage of fileStages) {
    const blob = finished[stage];
    if (blob !== undefined) local[stage] = await blobs.localPath(blob);
  }
  return local;
}

async function localBatches(blobs: Blobs, snapshot: Snapshot): Promise<SnapshotFile[]> {
  const files: SnapshotFile[] = [];
  for (const { blob, kind, sequence } of snapshot.files) files.push({ path: await blobs.localPath(blob), kind, sequence });
  return files;
}

async function sparkTask(spark: SparkStages, { finished, prepared, candidates }: StageResults): Promise<SparkTask | null> {
  if (prepared === null) return null;
  return {
    prepared: finished.arrays === undefined ? await spark.localFiles(prepared) : null,
    candidates: candidates === null ? null : await spark.localPaths(candidates),
  };
}
