import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Blobs } from '@vouch/platform/blobs/blobs';
import type { JobContext } from '@vouch/platform/jobs/job';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { historyCap } from '../../engine/matrix/interactions.ts';
import { candidateLimit } from '../../engine/neighbours/gramRow.ts';
import type { OperatorSetting } from '../../engine/data/trainingData.ts';
import type { TypeWeights } from '../sql/interactionWeights.ts';
import type { SnapshotResultFiles } from '../arrays/loadTrainingData.ts';
import type { SnapshotFile } from '../arrays/trainingSnapshot.ts';
import { candidateResult, ofEachResult, snapshotResults, type SnapshotResult } from '../sql/statements.ts';
import { resultFiles, runSpark, type SparkRun } from './runSpark.ts';
import { candidateJob, snapshotJob, type SparkJob } from './sparkJob.ts';

/** Blob names of Spark's part files for each result, in the order of their rows. */
export type PreparedBlobs = Record<SnapshotResult, string[]>;

/**
 * The training stages that run on Spark. Spark receives paths in the data folder: the blobs, or their local copies if blobs
 * are stored in S3. A cluster of several machines must have access to this folder under the same path.
 */
export class SparkStages {
  private readonly blobs: Blobs;
  private readonly run: Omit<SparkRun, 'folder'>;
  private readonly scratch: string;

  constructor(command: string, { blobs, timers }: { blobs: Blobs; timers: Timers }, context: JobContext) {
    this.blobs = blobs;
    this.run = { command, signal: context.signal, timers, progress: (fraction) => context.progress(fraction) };
    this.scratch = context.scratch;
  }

  /**
   * Numbers the nodes of the snapshot and sorts its pairs.
   * @param files batches with the names of their blobs
   * @param weights weights of interaction types that the request sets
   */
  async prepare(
    files: readonly (Omit<SnapshotFile, 'path'> & { blob: string })[], cutoffMs: number | null, weights: TypeWeights,
  ): Promise<PreparedBlobs> {
    const local = await Promise.all(files.map(async ({ blob, kind, sequence }) => ({ path: await this.blobs.localPath(blob), kind, sequence })));
    const folder = await this.folder('snapshot');
    await this.carryOut(await snapshotJob(local, cutoffMs, weights, folder), folder);
    return ofEachResult((name) => this.keep(folder, snapshotResults[name].table));
  }

  /**
   * Computes the candidates of all items.
   * @returns blob names of the part files
   */
  async candidates(prepared: PreparedBlobs, setting: OperatorSetting): Promise<string[]> {
    const folder = await this.folder('candidates');
    const limits = { history: historyCap, candidates: candidateLimit };
    await this.carryOut(await candidateJob(await this.localFiles(prepared), setting, limits, folder), folder);
    return this.keep(folder, candidateResult.table);
  }

  /** Local paths of the prepared results. */
  async localFiles(prepared: PreparedBlobs): Promise<SnapshotResultFiles> {
    return ofEachResult((name) => this.localPaths(prepared[name]));
  }

  async localPaths(blobs: readonly string[]): Promise<string[]> {
    return Promise.all(blobs.map((blob) => this.blobs.localPath(blob)));
  }

  private carryOut(job: SparkJob, folder: string): Promise<void> {
    return runSpark(job, { ...this.run, folder });
  }

  private async folder(name: string): Promise<string> {
    const folder = join(this.scratch, 'spark', name);
    await mkdir(folder, { recursive: true });
    return folder;
  }

  /** Stores the part files of a result as blobs, so that another worker can continue after this stage. */
  private async keep(folder: string, table: string): Promise<string[]> {
    const names: string[] = [];
    for (const path of await resultFiles(folder, table)) names.push((await this.blobs.putFile(path)).name);
    return names;
  }
}
