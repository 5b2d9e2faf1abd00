import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tracer } from '@opentelemetry/api';
import type { Database } from '../database/database.ts';
import { isDatabaseAway } from '../database/databaseErrors.ts';
import type { Logger } from '../log/logger.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { nameWorker } from '../process/nameWorker.ts';
import { noTracer } from '../tracing/spans.ts';
import { jobsFolder, removeDeadScratch, scratchFolder } from './attemptScratch.ts';
import { claimJob } from './claimJob.ts';
import type { JobKind } from './job.ts';
import type { JobDurations } from './jobDurations.ts';
import { cancelChannel, wakeChannel } from './jobRow.ts';
import { runJob, type Attempt } from './runJob.ts';
import { isSuspect } from './setback.ts';
import { listOrphans, postponeOrphan, settleCrashed, settleOrphan } from './settleOrphan.ts';

export interface WorkerOptions {
  database: Database;
  kinds: readonly JobKind[];
  system: SystemInterfaces;
  log: Logger;
  /** Folder in which each attempt gets its own subfolder. Several workers may share the folder. */
  scratch: string;
  /** Lease in ms: a worker that does not renew it for this long counts as dead. */
  leaseMs?: number;
  /** Longest time in ms between two checks of the queue; notifications cause earlier checks. */
  pollMs?: number;
  /** Upper bound for running jobs of one kind and organization, over all workers. */
  organizationLimit?: number;
  /** Delay in ms before the first retry of a failed attempt. */
  retryMs?: number;
  /** Process id of the previous process on this machine, if it is known to have ended by a fault in native code. */
  crashedProcess?: number | null;
  /** Records durations, if the process has metrics. */
  durations?: JobDurations;
  /** Records attempts and their stages, if the process sends traces. */
  tracer?: Tracer;
}

/** A running worker. */
export interface Worker {
  /**
   * Claims no more jobs, aborts the running ones and puts them back into the queue, without counting their attempts.
   * @param graceMs time in ms to wait for their work to end
   * @returns number of jobs that were running
   */
  stop(graceMs: number): Promise<number>;
}

/**
 * Starts a worker that runs jobs of the given kinds until it is stopped. If the database becomes unavailable, the worker waits for it.
 * @example
 * const worker = await startWorker({ database, kinds: [trainKind], system: systemInterfaces, log, scratch: '/data/scratch' });
 * await worker.stop(10_000);
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { database, system, log } = options;
  const { leaseMs = 10_000, pollMs = 1_000, organizationLimit = 4, retryMs = 1_000 } = options;
  const kinds = new Map(options.kinds.map((kind) => [kind.name, kind]));
  const scratch = join(options.scratch, jobsFolder);
  const running = new Map<string, { kind: string; suspect: boolean; attempt: Attempt }>();
  const stopping = new AbortController();
  let wake = new AbortController();

  await mkdir(scratch, { recursive: true, mode: 0o700 });
  if (typeof options.crashedProcess === 'number') await settleCrashed({ database, kinds, log, retryMs }, nameWorker(options.crashedProcess));
  await removeDeadScratch(database, scratch);

  async function round(): Promise<void> {
    for (const id of await listOrphans(database, [...kinds.keys()])) {
      await settle(id).catch(async (error: unknown) => {
        // The next round settles the job; postponing it would delay its takeover by half a minute.
        if (isDatabaseAway(error)) throw error;
        log.error({ err: error, job: id }, 'could not settle an orphaned job');
        await postponeOrphan(database, id);
      });
    }
    for (const kind of kinds.values()) await claimAll(kind);
  }

  async function settle(id: string): Promise<void> {
    const deadFence = await settleOrphan({ database, kinds, log, retryMs }, id);
    // A later attempt would remove the folder, but a cancelled job has none.
    if (deadFence !== null) await rm(scratchFolder(scratch, id, deadFence), { recursive: true, force: true });
  }

  async function claimAll(kind: JobKind): Promise<void> {
    while (!stopping.signal.aborted && roomOf(kind) > 0) {
      const fence = system.random.uuid();
      const leasedAt = system.elapsedMs();
      const row = await claimJob(database, { kind, fence, leaseMs, organizationLimit, besideSuspect: runsSuspect(), worker: nameWorker(process.pid) });
      if (row === null) return;
      const attempt = runJob({ database, system, log, kind, row, fence, leaseMs, leasedAt, retryMs, scratch, durations: options.durations, tracer: options.tracer ?? noTracer });
      running.set(fence, { kind: kind.name, suspect: isSuspect(row), attempt });
      void attempt.done.then(() => {
        running.delete(fence);
        wake.abort();
      });
      // `stop` may have been called during the claim; then this attempt is not among those that `stop` gave back.
      if (stopping.signal.aborted) await attempt.giveBack();
    }
  }

  function roomOf(kind: JobKind): number {
    const taken = [...running.values()].filter((each) => each.kind === kind.name).length;
    return kind.concurrency - taken;
  }

  function runsSuspect(): boolean {
    return [...running.values()].some(({ suspect }) => suspect);
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      wake = new AbortController();
      try {
        await round();
      } catch (error) {
        log.warn({ reason: (error as Error).message }, 'the worker cannot reach the queue; retrying');
      }
      await system.timers.sleep(pollMs, wake.signal);
    }
  }

  const silences = await Promise.all([
    database.listen(wakeChannel, () => wake.abort()),
    database.listen(cancelChannel, () => {
      for (const { attempt } of running.values()) attempt.beat();
    }),
  ]);
  const looping = loop();

  return {
    async stop(graceMs) {
      stopping.abort();
      wake.abort();
      await looping;
      const attempts = [...running.values()].map(({ attempt }) => attempt);
      const settled = Promise.all(attempts.map((attempt) => attempt.giveBack().catch((error: unknown) => {
        log.warn({ reason: (error as Error).message }, 'could not return a job to the queue; its lease will expire');
      })).concat(attempts.map(({ done }) => done)));
      const enough = new AbortController();
      await Promise.race([settled, system.timers.sleep(graceMs, enough.signal)]);
      enough.abort();
      await Promise.all(silences.map((silence) => silence().catch(() => {})));
      return attempts.length;
    },
  };
}
